# bomb: the same on the other stream
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stderr
# profile: standard
import sys
for n in range(20_000):
    print('x' * 100, file=sys.stderr)
