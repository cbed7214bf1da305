# bomb: CPU time, within its wall time
# limited by: sandbox/watch.c
# expect: cpu_limit
# error: CPU time limit of 1 s reached
while True:
    pass
