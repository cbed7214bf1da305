# bomb: a way out that leads in again
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
while True:
    try:
        break
    finally:
        while True:
            pass
