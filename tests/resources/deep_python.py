# bomb: a function that calls itself for ever
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
def f(n):
    return f(n + 1)
f(0)
