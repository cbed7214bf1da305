# bomb: a class with a name of a million letters
# limited by: sandbox/python/error.c
# expect: error
# error: EEE
# profile: standard
E = type('E' * 1_000_000, (Exception,), {})
raise E('x')
