def newton(f, df, x, steps=20):
    for _ in range(steps):
        x = x - f(x) / df(x)
    return x


def simpson(f, a, b, n=100):
    h = (b - a) / n
    s = f(a) + f(b)
    for i in range(1, n):
        s += f(a + i * h) * (4 if i % 2 else 2)
    return s * h / 3


print(round(newton(lambda x: x * x - 2, lambda x: 2 * x, 1.0), 10))
print(round(simpson(lambda x: x ** 3, 0, 2), 6))
