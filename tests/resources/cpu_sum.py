# bomb: a sum that never returns to the interpreter
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = sum(range(10 ** 13))
