# bomb: an object whose text is no text
# limited by: sandbox/python/interp.c
# expect: error
# error: TypeError
class A:
    def __str__(self):
        return 1
print(A())
