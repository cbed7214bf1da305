# bomb: copies of copies
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = list(range(100_000))
y = []
while True:
    y.append(sorted(x, reverse=True))
