# bomb: a text that is something else
# limited by: sandbox/python/value.c
# expect: ok
# value: "plain"
class S(str):
    def __str__(self):
        return 'other' * (1 << 40)
_ = S('plain')
