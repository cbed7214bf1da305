# bomb: a pattern that is cubic
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import re
_ = re.findall('a*a*a*a*b', 'a' * 5000)
