# bomb: many short sleeps
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import time
while True:
    time.sleep(0.001)
