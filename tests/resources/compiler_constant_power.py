# bomb: a constant that would be folded
# limited by: sandbox/python/program.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = 9 ** 9 ** 9 ** 9
