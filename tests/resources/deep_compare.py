# bomb: two deep lists compared
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
x, y = [], []
for n in range(100_000):
    x, y = [x], [y]
x == y
