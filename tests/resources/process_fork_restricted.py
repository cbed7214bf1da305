# bomb: a fork under the language rules
# limited by: sandbox/python/validate.c
# expect: 400
# error: Import of 'os' is not permitted
import os
os.fork()
