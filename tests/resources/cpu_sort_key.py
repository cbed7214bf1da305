# bomb: a key that is slower the longer it runs
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
x = [0]
sorted(range(10 ** 6), key=lambda n: x.append(n) or sum(x))
