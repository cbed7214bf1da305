# bomb: tuples of numbers that hash alike
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
p = (1 << 61) - 1
while True:
    x = {(n * p, 0) for n in range(1, 40_000)}
