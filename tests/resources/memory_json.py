# bomb: a text that is small as a program and large as JSON
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
import json
x = ['\x00' * 100_000] * 1000
y = json.dumps(x)
