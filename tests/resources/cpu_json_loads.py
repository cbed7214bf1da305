# bomb: a number with very many digits, as JSON
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import json
x = '[' + '1.' + '1' * 4_000_000 + ']'
while True:
    json.loads(x)
