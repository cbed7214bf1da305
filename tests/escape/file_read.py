# attack: reads a file of the host
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/etc/passwd", 0) >= 0
