# bomb: a loop that does nothing
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
while True:
    pass
