# bomb: a map of a map of a map
# limited by: sandbox/confine/rlimits.c
# expect: killed
# error: The program was killed by signal 11 (SIGSEGV)
x = iter([1])
for n in range(200_000):
    x = map(abs, x)
next(x)
