# bomb: keys that are no texts
# limited by: sandbox/python/value.c
# expect: ok
# value: {"(1, 2)": 1, "null": 2, "1.5": 3}
_ = {(1, 2): 1, None: 2, 1.5: 3}
