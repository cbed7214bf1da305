# bomb: functions that keep each other
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
def make(inner):
    def f():
        return inner
    return f
f = None
while True:
    f = make(f)
