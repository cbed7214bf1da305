# bomb: a program that cleans up and says so
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = []
try:
    while True:
        x.append(bytearray(10 ** 6))
except MemoryError:
    x.clear()
    raise
