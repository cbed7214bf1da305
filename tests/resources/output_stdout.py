# bomb: more lines than anybody reads
# limited by: sandbox/python/capture.c
# expect: ok
# cut: stdout
for n in range(20_000):
    print('x' * 100)
