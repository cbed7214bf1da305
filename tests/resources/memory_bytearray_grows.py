# bomb: a block that grows in place (mremap)
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = bytearray(1 << 20)
while True:
    x.extend(bytes(1 << 20))
