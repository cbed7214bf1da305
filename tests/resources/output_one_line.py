# bomb: one line that is larger than everything kept
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stdout
print('x' * 30_000_000)
