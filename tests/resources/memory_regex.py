# bomb: matches of a regular expression
# limited by: sandbox/confine/rlimits.c
# expect: memory_limit
# error: Memory limit of 64 MB reached
import re
x = re.findall('', 'a' * 10_000_000)
