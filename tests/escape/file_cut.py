# attack: empties a file
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused truncate
call("mknod", b"full", 0o100600, 0)
won = call("truncate", b"full", 0) == 0
