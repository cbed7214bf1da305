import math
from collections import Counter


def mean(xs):
    return sum(xs) / len(xs)


def median(xs):
    xs = sorted(xs)
    n = len(xs)
    return xs[n // 2] if n % 2 else (xs[n // 2 - 1] + xs[n // 2]) / 2


def stdev(xs):
    m = mean(xs)
    return math.sqrt(sum((x - m) ** 2 for x in xs) / (len(xs) - 1))


def mode(xs):
    return Counter(xs).most_common(1)[0][0]


xs = [2, 4, 4, 4, 5, 5, 7, 9]
print(mean(xs), median(xs), round(stdev(xs), 4), mode(xs))
