# bomb: an integer of a million digits
# limited by: sandbox/python/value.c
# expect: ok
# value: "<int of 4000001 bits>"
_ = 1 << 4_000_000
