def counter():
    n = 0

    def inc(by=1):
        nonlocal n
        n += by
        return n
    return inc


c = counter()
print(c(), c(), c(5))
g = 10


def use_global():
    global g
    g += 1
    return g


print(use_global(), g)
adders = [lambda x, n=n: x + n for n in range(3)]
print([a(10) for a in adders])
