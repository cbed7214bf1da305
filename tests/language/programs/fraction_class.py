from math import gcd


class Frac:
    def __init__(self, n, d=1):
        if d == 0:
            raise ZeroDivisionError("denominator is zero")
        g = gcd(n, d) * (-1 if d < 0 else 1)
        self._n, self._d = n // g, d // g

    def __add__(self, o):
        return Frac(self._n * o._d + o._n * self._d, self._d * o._d)

    def __mul__(self, o):
        return Frac(self._n * o._n, self._d * o._d)

    def __truediv__(self, o):
        return Frac(self._n * o._d, self._d * o._n)

    def __eq__(self, o):
        return (self._n, self._d) == (o._n, o._d)

    def __float__(self):
        return self._n / self._d

    def __repr__(self):
        return f"{self._n}/{self._d}"


print(Frac(1, 2) + Frac(1, 3), Frac(2, 4) * Frac(-3, 9), Frac(1, 2) / Frac(1, 4), float(Frac(1, 8)), Frac(2, 4) == Frac(1, 2))
try:
    Frac(1, 0)
except ZeroDivisionError as e:
    print(e)
