# bomb: an exception that is its own cause
# limited by: sandbox/python/error.c
# expect: error
# error: ValueError: x
# profile: standard
e = ValueError('x')
e.__cause__ = e
raise e
