# bomb: a set that grows
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = set()
n = 0
while True:
    n += 1
    x.add(n)
