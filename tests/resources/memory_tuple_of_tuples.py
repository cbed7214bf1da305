# bomb: tuples that hold each other twice as often each time
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = (1,)
while True:
    x = x + x
