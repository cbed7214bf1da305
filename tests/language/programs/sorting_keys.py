people = [("Ann", 30), ("bob", 25), ("Cid", 30), ("dan", 22)]
print(sorted(people, key=lambda p: (-p[1], p[0].lower())))
print(sorted(people, key=lambda p: p[0].lower(), reverse=True))
people.sort(key=lambda p: p[1])
print(people, min(people, key=lambda p: len(p[0])), max(people)[0])
d = {"b": 2, "a": 3, "c": 1}
print(sorted(d), sorted(d, key=d.get), sorted(d.items(), key=lambda kv: kv[1]), dict(sorted(d.items())))
xs = [3, 1, 2]
print(sorted(xs) is xs, xs[::-1], list(reversed(xs)), sorted("hello", key=str.upper))
