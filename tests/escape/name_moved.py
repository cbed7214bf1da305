# attack: renames a file
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused rename
call("mknod", b"old", 0o100600, 0)
won = call("rename", b"old", b"new") == 0
