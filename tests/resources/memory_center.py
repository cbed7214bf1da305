# bomb: a text in the middle of nothing
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = 'x'.center(10 ** 9)
