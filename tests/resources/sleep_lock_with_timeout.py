# bomb: a lock, waited for with a time of its own
# limited by: sandbox/watch.c
# expect: timeout
# error: Time limit of 0.4 s reached
# timeout: 0.4
# profile: standard
import threading
l = threading.Lock()
l.acquire()
l.acquire(timeout=3600)
