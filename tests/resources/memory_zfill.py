# bomb: a number filled with zeros
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = '1'.zfill(10 ** 9)
