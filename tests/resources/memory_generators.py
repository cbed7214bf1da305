# bomb: generators that wait
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
def g():
    room = [0] * 1000
    yield room
x = []
while True:
    i = g()
    next(i)
    x.append(i)
