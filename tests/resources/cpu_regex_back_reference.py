# bomb: a reference to what was matched
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import re
_ = re.search(r'^(a+)+\1+\1+$', 'a' * 200 + 'b')
