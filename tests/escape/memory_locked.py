# attack: locks memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mlock", ctypes.addressof(room(4096)), 4096) == 0
