# bomb: a group of groups
# limited by: sandbox/python/error.c
# expect: error
# error: ExceptionGroup: g (1 sub-exception)
# profile: standard
e = ValueError('x')
for n in range(50_000):
    e = ExceptionGroup('g', [e])
raise e
