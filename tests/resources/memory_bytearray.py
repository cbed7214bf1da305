# bomb: one block that is written to
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = bytearray(1 << 30)
