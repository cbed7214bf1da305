# bomb: a flood that ends only with its time
# limited by: sandbox/watch.c
# expect: timeout
# cut: stdout
# error: Time limit of 0.4 s reached
# timeout: 0.4
while True:
    print('x' * 1000)
