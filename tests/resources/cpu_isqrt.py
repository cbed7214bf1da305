# bomb: a root of a very large integer
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import math
_ = math.isqrt((1 << 40_000_000) - 1) & 1
