# bomb: many strings of a moderate size
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = []
while True:
    x.append('a' * 100_000 + str(len(x)))
