def sma(xs, n):
    return [round(sum(xs[i - n + 1:i + 1]) / n, 3) for i in range(n - 1, len(xs))]


def ema(xs, a):
    out = [xs[0]]
    for x in xs[1:]:
        out.append(round(a * x + (1 - a) * out[-1], 3))
    return out


prices = [22.27, 22.19, 22.08, 22.17, 22.18, 22.13, 22.23]
print(sma(prices, 3), ema(prices, 0.5), max(prices) - min(prices) < 1)
