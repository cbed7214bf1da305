# bomb: a list times a number
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = [0] * (10 ** 9)
