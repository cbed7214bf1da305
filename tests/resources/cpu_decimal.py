# bomb: decimals with a large precision
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import decimal
c = decimal.Context(prec=3_000_000)
_ = c.divide(1, 7).sqrt(c)
