# bomb: two long lists, compared again and again by sort
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
x = [[0] * 3000 for n in range(500)]
x.sort()
x.sort(reverse=True)
while True:
    x == x[:]
    x.sort()
