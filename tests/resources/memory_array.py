# bomb: an array of numbers
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
# profile: standard
import array
x = array.array('d', bytes(8))
while True:
    x.extend(x)
