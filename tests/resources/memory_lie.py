# bomb: a program that only says it has no memory
# limited by: sandbox/refusals.c
# expect: error
# error: MemoryError: not true
raise MemoryError('not true')
