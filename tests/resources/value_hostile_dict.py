# bomb: a dictionary that answers with others
# limited by: sandbox/python/value.c
# expect: ok
# value: {"a": 1}
class D(dict):
    def items(self):
        while True:
            yield 1, self
    def __iter__(self):
        while True:
            yield 1
_ = D(a=1)
