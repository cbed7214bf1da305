import json
from collections import defaultdict

raw = json.loads("""[
 {"id": 1, "user": {"name": "Ann", "langs": ["py", "c"]}, "score": 7.5},
 {"id": 2, "user": {"name": "Bob", "langs": []}, "score": null},
 {"id": 3, "user": {"name": "Cid", "langs": ["py"]}, "score": 9}
]""")
langs = defaultdict(list)
for row in raw:
    for l in row["user"]["langs"]:
        langs[l].append(row["user"]["name"])
scores = [r["score"] for r in raw if r["score"] is not None]
print(json.dumps({"langs": langs, "mean": sum(scores) / len(scores), "top": max(raw, key=lambda r: r["score"] or 0)["user"]["name"]}, sort_keys=True))
