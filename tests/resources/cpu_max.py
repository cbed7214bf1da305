# bomb: the largest of very many
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
_ = max(range(10 ** 13))
