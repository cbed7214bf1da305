# bomb: keys with a slow comparison
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
class K:
    def __hash__(self):
        return 1
    def __eq__(self, other):
        return False
x = {}
while True:
    x[K()] = 1
