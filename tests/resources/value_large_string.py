# bomb: a text larger than a value may be
# limited by: sandbox/python/value.c
# expect: ok
# cut: return_value
_ = 'x' * 10_000_000
