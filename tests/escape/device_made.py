# attack: makes a device node of its own
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused mknod
won = call("mknod", b"zero", 0o020600, 1 << 8 | 5) == 0
