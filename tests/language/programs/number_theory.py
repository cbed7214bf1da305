import math


def egcd(a, b):
    if b == 0:
        return a, 1, 0
    g, x, y = egcd(b, a % b)
    return g, y, x - a // b * y


print(math.gcd(48, 18), math.lcm(4, 6), egcd(240, 46), pow(3, -1, 11), pow(2, 100, 1000000007))
print(math.isqrt(10 ** 20), math.factorial(20), math.comb(10, 3), math.perm(5, 2))


def factors(n):
    out, p = [], 2
    while p * p <= n:
        while n % p == 0:
            out.append(p)
            n //= p
        p += 1
    return out + ([n] if n > 1 else [])


print(factors(360360), factors(97), 2 ** 200)
print([n for n in range(1, 1000) if n == sum(d for d in range(1, n) if n % d == 0)])
