# bomb: a queue that nobody reads
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
# profile: standard
import collections
x = collections.deque()
while True:
    x.append('a' * 1000 + str(len(x)))
