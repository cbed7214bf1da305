# bomb: a pattern of groups in groups
# limited by: sandbox/python/interp.c
# expect: error
# error: RecursionError
import re
re.compile('(' * 4000 + ')' * 4000)
