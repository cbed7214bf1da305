# bomb: attributes that ask for themselves
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
class A:
    def __getattr__(self, name):
        return self.missing
A().x
