# bomb: warnings without end
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stderr
# profile: standard
import warnings
for n in range(30_000):
    warnings.warn('x' * 100 + str(n))
