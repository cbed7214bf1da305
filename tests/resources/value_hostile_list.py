# bomb: a list that is longer each time it is read
# limited by: sandbox/python/value.c
# expect: ok
# value: [1]
class L(list):
    def __iter__(self):
        while True:
            yield self
    def __len__(self):
        return 1 << 62
_ = L([1])
