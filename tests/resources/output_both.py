# bomb: both streams at once
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stdout stderr
# profile: standard
import sys
for n in range(20_000):
    print('x' * 100)
    print('y' * 100, file=sys.stderr)
