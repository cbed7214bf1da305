# bomb: half a character
# limited by: sandbox/python/value.c
# expect: ok
# value: "\ufffd"
_ = '\ud800'
