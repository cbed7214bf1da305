# bomb: the hash of a deep tuple: nothing in CPython stops it
# limited by: sandbox/confine/rlimits.c
# expect: killed
# error: The program was killed by signal 11 (SIGSEGV)
x = ()
for n in range(500_000):
    x = (x,)
hash(x)
