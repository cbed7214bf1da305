# bomb: a chain of classes, each with all above it
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
class A:
    pass
while True:
    class A(A):
        pass
