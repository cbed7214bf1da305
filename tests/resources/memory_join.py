# bomb: joining what fits into what does not
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = ''.join('a' * 1_000_000 for n in range(1000))
