# attack: removes a file (the control makes one first)
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused unlink
call("mknod", b"victim", 0o100600, 0)
won = call("unlink", b"victim") == 0
