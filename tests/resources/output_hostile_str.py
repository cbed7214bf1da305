# bomb: an object whose text is larger than memory
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
class A:
    def __str__(self):
        return 'a' * (1 << 40)
print(A())
