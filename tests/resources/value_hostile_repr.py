# bomb: an object whose text never ends
# limited by: sandbox/python/value.c
# expect: ok
# value: "<A object>"
class A:
    def __repr__(self):
        while True:
            pass
_ = A()
