# bomb: the same in one call of C
# limited by: sandbox/watch.c
# expect: cpu_limit
# error: CPU time limit of 1 s reached
_ = sum(range(10 ** 13))
