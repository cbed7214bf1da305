# attack: nor does a default hash
# stopped by: harmless
class A: pass
hs = sorted(abs(hash(A())) for _ in range(3))
xs = [A() for _ in range(4)]
hs = sorted(hash(x) for x in xs)
assert min(b - a for a, b in zip(hs, hs[1:])) > 2 ** 30, "ESCAPED"
