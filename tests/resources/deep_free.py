# bomb: a deep structure that is given back
# limited by: sandbox/python/interp.c
# expect: ok
# value: 1
x = []
for n in range(300_000):
    x = [x]
del x
_ = 1
