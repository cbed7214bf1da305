# bomb: a dictionary and a list that hold each other
# limited by: sandbox/python/value.c
# expect: ok
# value: {"y": ["<cycle>"]}
x = {}
y = [x]
x['y'] = y
_ = x
