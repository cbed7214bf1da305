# bomb: a program that gives up when told there is no more
# limited by: sandbox/confine/rlimits.c
# expect: ok
# value: true
x = []
try:
    while True:
        x.append(bytearray(10 ** 6))
except MemoryError:
    n = len(x)
    x.clear()
_ = 20 < n < 80
