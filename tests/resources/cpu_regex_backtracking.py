# bomb: a pattern that tries every way to fail
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import re
_ = re.match('(a*)*b', 'a' * 40)
