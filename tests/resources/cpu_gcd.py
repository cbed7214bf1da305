# bomb: a common divisor of two neighbours of Fibonacci
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
import math
a, b = 1, 1
for n in range(500_000):
    a, b = b, a + b
while True:
    math.gcd(a, b)
