d = {"a": 1, "b": 2}
d["c"] = d.get("c", 0) + 5
d.update(b=3, z=9)
print(d, d.pop("z"), d.pop("nope", None), "a" in d, list(d.keys()), list(d.values()))
merged = {**d, "x": 1} | {"y": 2}
print(merged, {v: k for k, v in d.items()}, dict(zip("ab", [1, 2])), dict([("k", "v")]))
for k in list(d):
    if d[k] > 2:
        del d[k]
print(d, d.setdefault("q", []), d, d.popitem())
nested = {"l1": {"l2": {"l3": "deep"}}}
cur = nested
for k in ("l1", "l2", "l3"):
    cur = cur[k]
print(cur, nested["l1"].get("nope", {}).get("x"))
