# bomb: an integer to the power of a large one
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = 7 ** (10 ** 7) % 10
