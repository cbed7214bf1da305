# bomb: a width in the old format
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = '%*d' % (10 ** 9, 1)
