# bomb: characters that are none
# limited by: sandbox/python/capture.c
# expect: ok
# value: null
print('\udc80' * 1000)
