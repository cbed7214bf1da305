# bomb: a list that is small and endless when written out
# limited by: sandbox/python/value.c
# expect: ok
# cut: return_value
x = ['ha'] * 10
for n in range(12):
    x = [x] * 10
_ = x
