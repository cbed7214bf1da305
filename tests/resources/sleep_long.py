# bomb: a sleep that is longer than its time
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import time
time.sleep(3600)
