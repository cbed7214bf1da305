# bomb: an interrupt
# limited by: sandbox/python/error.c
# expect: error
# error: KeyboardInterrupt
raise KeyboardInterrupt
