# bomb: a chain of a hundred thousand causes
# limited by: sandbox/python/error.c
# expect: error
# error: ValueError: 99999
# profile: standard
e = None
for n in range(100_000):
    f = ValueError(n)
    f.__cause__ = e
    e = f
raise e
