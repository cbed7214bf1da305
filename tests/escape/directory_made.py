# attack: makes a directory
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused mkdir
won = call("mkdir", b"made", 0o700) == 0
