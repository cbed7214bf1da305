# bomb: all of a map, in C from end to end
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = all(map(bool, range(1, 10 ** 13)))
