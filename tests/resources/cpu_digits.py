# bomb: an integer with a million digits as text
# limited by: sandbox/python/interp.c
# expect: error
# error: ValueError: Exceeds the limit (4300 digits) for integer string conversion
_ = str(10 ** 1_000_000)
