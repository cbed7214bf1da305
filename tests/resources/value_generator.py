# bomb: a generator that never ends
# limited by: sandbox/python/value.c
# expect: ok
# value: "<generator object>"
def g():
    while True:
        yield 1
_ = g()
