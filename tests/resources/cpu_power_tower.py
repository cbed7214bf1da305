# bomb: an integer whose exponent is one too
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = 9 ** 9 ** 8
