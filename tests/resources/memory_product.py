# bomb: every combination, kept
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
# profile: standard
import itertools
x = list(itertools.product(range(200), repeat=4))
