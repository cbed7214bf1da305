# bomb: a table that makes every letter a page
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = ('a' * 30_000).translate({97: 'b' * 30_000})
