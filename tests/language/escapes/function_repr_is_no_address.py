# attack: nor does the repr of a function, generator or method
# stopped by: harmless
def f(): yield 1
n = int(repr(f).split("0x")[1][:-1], 16)
m = int(repr(f()).split("0x")[1][:-1], 16)
assert abs(n - m) > 2 ** 30, "ESCAPED"
