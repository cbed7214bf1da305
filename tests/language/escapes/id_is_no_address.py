# attack: ids of two neighbours tell nothing about addresses
# stopped by: harmless
a, b = [1], [2]
d = abs(id(a) - id(b))
assert d > 2 ** 40 or d == 0, "ESCAPED"
