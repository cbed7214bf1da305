a, *b, c = range(6)
(x, y), z = (1, 2), 3
print(a, b, c, x, y, z)
first, (second, *third) = 1, [2, 3, 4]
print(first, second, third)
a, b = 1, 2
a, b = b, a
print(a, b, [*range(3), *"ab"], {**{"k": 1}, "j": 2}, (*[1], 2))
for i, (k, v) in enumerate({"p": 1, "q": 2}.items(), start=1):
    print(i, k, v)
m = [[1, 2], [3, 4]]
m[0][1], m[1][0] = m[1][0], m[0][1]
print(m)
