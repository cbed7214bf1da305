# attack: closes all its descriptors, to be given new ones
# stopped by: sandbox/confine/calls.c
# expect: EBADF
won = call("close_range", 200, 300, 0) == 0
