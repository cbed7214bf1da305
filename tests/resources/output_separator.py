# bomb: a separator that is a page
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stdout
print(*range(2000), sep='-' * 10_000)
