# bomb: a list in a list in a list
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
x = []
for n in range(100_000):
    x = [x]
repr(x)
