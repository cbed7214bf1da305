# bomb: classes, which are the largest of small things
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
x = []
while True:
    class A:
        pass
    x.append(A)
