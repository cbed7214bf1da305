# bomb: a pool of threads
# limited by: sandbox/confine/calls.c
# expect: error
# error: RuntimeError: can't start new thread
# refused: mmap
# profile: standard
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(8) as p:
    list(p.map(abs, range(8)))
