# bomb: a list a hundred thousand deep
# limited by: sandbox/python/value.c
# expect: ok
x = []
for n in range(100_000):
    x = [x]
_ = x
