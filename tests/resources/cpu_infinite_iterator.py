# bomb: an iterator without an end, consumed in C
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import collections, itertools
collections.deque(itertools.count(), maxlen=0)
