# bomb: the smallest objects there are, millions of them
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = []
while True:
    x.append([])
