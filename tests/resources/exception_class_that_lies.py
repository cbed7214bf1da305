# bomb: a class that says it is an exception
# limited by: sandbox/python/error.c
# expect: error
# error: TypeError: exceptions must derive from BaseException
# profile: standard
class E:
    __class__ = ValueError
raise E()
