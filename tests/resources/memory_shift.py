# bomb: an integer shifted to a gigabyte
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = 1 << (8 * 10 ** 9)
