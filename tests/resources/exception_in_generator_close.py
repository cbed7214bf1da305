# bomb: a generator that will not be closed
# limited by: sandbox/python/error.c
# expect: ok
# value: 1
def g():
    while True:
        try:
            yield 1
        except GeneratorExit:
            pass
i = g()
next(i)
del i
_ = 1
