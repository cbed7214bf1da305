# bomb: an event that never comes
# limited by: sandbox/python/quiet.c
# expect: error
# error: RuntimeError: deadlock
# profile: standard
import threading
threading.Event().wait()
