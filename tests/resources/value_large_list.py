# bomb: a list of a million numbers
# limited by: sandbox/python/value.c
# expect: ok
# cut: return_value
_ = list(range(1_000_000))
