# bomb: a letter at a time, never a line
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stdout
for n in range(200_000):
    print('x', end='')
