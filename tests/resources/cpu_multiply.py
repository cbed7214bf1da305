# bomb: a product of two very large integers
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
x = (1 << 40_000_000) - 1
_ = (x * x) & 1
