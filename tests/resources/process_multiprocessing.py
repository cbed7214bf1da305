# bomb: processes by the library
# limited by: sandbox/confine/calls.c
# expect: error
# error: ModuleNotFoundError: No module named 'multiprocessing'
# profile: standard
import multiprocessing
multiprocessing.Process(target=print).start()
