from functools import reduce


def compose(*fs):
    return reduce(lambda f, g: lambda *a, **k: f(g(*a, **k)), fs)


def curry(f, n):
    return f if n <= 1 else lambda x: curry(lambda *r: f(x, *r), n - 1)


inc = lambda x: x + 1
print(compose(inc, lambda x: x * 10, abs)(-3), curry(lambda a, b, c: (a, b, c), 3)(1)(2)(3))
print(list(map(lambda p: p[0] * p[1], zip(range(3), range(3, 6)))), list(filter(None, [0, 1, "", "a"])))
