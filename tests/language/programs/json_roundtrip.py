import json

data = {
    "name": "Alice",
    "tags": ["a", "b"],
    "nested": {"x": 1.5, "y": None, "ok": True},
    "unicode": "h\u00e9llo",
}
text = json.dumps(data, indent=2, sort_keys=True)
print(text)
assert json.loads(text) == data
try:
    json.loads("{bad json}")
except json.JSONDecodeError as e:
    print("decode error:", e.msg, e.lineno, e.colno)
except ValueError:
    print("other")
print(json.dumps("h\u00e9", ensure_ascii=False), json.dumps([1, 2], separators=(",", ":")))
