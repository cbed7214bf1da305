# bomb: a condition that never holds
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import threading
c = threading.Condition()
with c:
    c.wait(3600)
