# bomb: one string larger than everything
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = 'a' * (1 << 40)
