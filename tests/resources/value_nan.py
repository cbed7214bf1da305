# bomb: numbers that JSON does not have
# limited by: sandbox/python/value.c
# expect: ok
# value: ["NaN", "Infinity", "-Infinity"]
_ = [float('nan'), float('inf'), -float('inf')]
