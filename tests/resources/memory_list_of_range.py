# bomb: a range that is made a list
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = list(range(10 ** 9))
