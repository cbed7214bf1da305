# bomb: a thread, without the library
# limited by: sandbox/confine/calls.c
# expect: error
# error: RuntimeError: can't start new thread
# refused: mmap
# profile: standard
import _thread
_thread.start_new_thread(print, ())
