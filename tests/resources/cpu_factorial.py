# bomb: a factorial
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import math
_ = math.factorial(3_000_000) % 7
