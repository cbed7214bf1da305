# bomb: a lock that nobody gives back
# limited by: sandbox/python/quiet.c
# expect: error
# error: RuntimeError: deadlock
# profile: standard
import threading
l = threading.Lock()
l.acquire()
l.acquire()
