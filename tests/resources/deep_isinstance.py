# bomb: a tuple of tuples of types
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
x = (int,)
for n in range(100_000):
    x = (x,)
isinstance('', x)
