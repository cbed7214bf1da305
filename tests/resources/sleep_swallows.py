# bomb: a sleeper that does not want to be woken
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import time
while True:
    try:
        time.sleep(3600)
    except BaseException:
        pass
