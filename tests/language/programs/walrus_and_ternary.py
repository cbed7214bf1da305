data = [1, 5, 12, 7, 20]
if (n := len(data)) > 3:
    print(f"{n} items")
print([y for x in data if (y := x * 2) > 12])
it = iter(data)
while (v := next(it, None)) is not None and v < 12:
    print(v, "odd" if v % 2 else "even")
print(0 or "default", 5 and 6, not [], None is None, 1 < 2 < 3, "a" if False else "b")
