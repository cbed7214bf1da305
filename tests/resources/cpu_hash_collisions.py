# bomb: keys that all have the same hash
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
p = (1 << 61) - 1
x = {n * p: None for n in range(1, 40_000)}
while True:
    x = {n * p: None for n in range(1, 40_000)}
