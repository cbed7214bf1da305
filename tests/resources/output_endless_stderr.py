# bomb: a flood on the other stream
# limited by: sandbox/watch.c
# expect: timeout
# cut: stderr
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import sys
while True:
    print('x' * 1000, file=sys.stderr)
