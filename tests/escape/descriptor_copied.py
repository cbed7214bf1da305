# attack: copies descriptors
# stopped by: sandbox/confine/calls.c
# expect: EBADF
won = call("dup2", 0, 7) == 7
