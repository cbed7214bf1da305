# bomb: bytes, which JSON does not have
# limited by: sandbox/python/value.c
# expect: ok
_ = bytes(1000)
