# attack: nor does a default repr
# stopped by: harmless
class A: pass
xs = [A() for _ in range(4)]
ns = sorted(int(repr(x).split("0x")[1][:-1], 16) for x in xs)
assert min(b - a for a, b in zip(ns, ns[1:])) > 2 ** 30, "ESCAPED"
