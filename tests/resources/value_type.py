# bomb: a class
# limited by: sandbox/python/value.c
# expect: ok
# value: "<class 'A'>"
class A:
    pass
_ = A
