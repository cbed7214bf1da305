# bomb: exceptions where nobody can catch them
# limited by: sandbox/python/error.c
# expect: ok
# value: 1
# cut: stderr
# profile: standard
class A:
    def __del__(self):
        raise ValueError('x' * 1000)
for n in range(10_000):
    A()
_ = 1
