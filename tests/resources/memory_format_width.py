# bomb: a width in a format
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = f'{1:{10 ** 9}}'
