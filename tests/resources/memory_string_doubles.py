# bomb: a string that doubles
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = 'ab'
while True:
    x += x
