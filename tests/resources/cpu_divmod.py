# bomb: a long division
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = ((1 << 40_000_000) - 1) // ((1 << 20_000_000) - 1) & 1
