# attack: gives a file away
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused chown
call("mknod", b"gift", 0o100600, 0)
won = call("chown", b"gift", 1, 1) == 0
