class Poly:
    def __init__(self, *coeffs):
        self.c = list(coeffs)

    def __call__(self, x):
        r = 0
        for k in reversed(self.c):
            r = r * x + k
        return r

    def __mul__(self, o):
        out = [0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                out[i + j] += a * b
        return Poly(*out)

    def __matmul__(self, o):
        return self(o(1))

    def deriv(self):
        return Poly(*(i * k for i, k in enumerate(self.c) if i))

    def __str__(self):
        return " + ".join(f"{k}x^{i}" for i, k in enumerate(self.c) if k) or "0"

    def __getattr__(self, name):
        if name == "degree":
            return len(self.c) - 1
        raise AttributeError(name)


p = Poly(1, 2) * Poly(3, 0, 1)
print(p, p(2), p.deriv(), p.degree, Poly(1) @ Poly(2))
try:
    p.nothing
except AttributeError as e:
    print("no", e)
