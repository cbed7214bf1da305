# bomb: a thread
# limited by: sandbox/confine/calls.c
# expect: error
# error: RuntimeError: can't start new thread
# refused: mmap
# profile: standard
import threading
threading.Thread(target=print).start()
