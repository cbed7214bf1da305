# bomb: tabs that are expanded
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = ('\t' * 10_000).expandtabs(100_000)
