# bomb: a program that catches whatever is thrown at it
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
