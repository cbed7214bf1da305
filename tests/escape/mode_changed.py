# attack: makes a file setuid
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused chmod
call("mknod", b"suid", 0o100700, 0)
won = call("chmod", b"suid", 0o4755) == 0
