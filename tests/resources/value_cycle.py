# bomb: a list that holds itself
# limited by: sandbox/python/value.c
# expect: ok
# value: ["<cycle>"]
x = []
x.append(x)
_ = x
