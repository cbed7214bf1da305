# bomb: each letter replaced by a page
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = ('a' * 30_000).replace('a', 'b' * 30_000)
