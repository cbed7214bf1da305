# bomb: exceptions raised while others are handled
# limited by: sandbox/python/error.c
# expect: error
# error: RecursionError
def f(n):
    try:
        raise ValueError(n)
    except ValueError:
        f(n + 1)
f(0)
