# bomb: a message of ten million letters
# limited by: sandbox/python/error.c
# expect: error
# error: ValueError: xxx
raise ValueError('x' * 10_000_000)
