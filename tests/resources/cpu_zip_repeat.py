# bomb: a search in what repeats for ever
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import itertools
_ = 1 in itertools.repeat(0)
