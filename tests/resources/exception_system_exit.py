# bomb: an exit
# limited by: sandbox/python/error.c
# expect: error
# error: SystemExit: xxx
raise SystemExit('x' * 1_000_000)
