# bomb: a search through a range, one by one
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = 0.5 in range(10 ** 13)
