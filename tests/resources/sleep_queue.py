# bomb: a queue that stays empty
# limited by: sandbox/python/quiet.c
# expect: error
# error: RuntimeError: deadlock
# profile: standard
import queue
queue.Queue().get()
