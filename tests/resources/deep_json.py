# bomb: a deep list as JSON
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
import json
x = []
for n in range(100_000):
    x = [x]
json.dumps(x)
