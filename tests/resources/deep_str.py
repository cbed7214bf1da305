# bomb: texts of objects that hold each other
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
class A:
    def __init__(self, inner):
        self.inner = inner
    def __repr__(self):
        return repr(self.inner)
x = None
for n in range(100_000):
    x = A(x)
repr(x)
