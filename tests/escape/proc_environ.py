# attack: reads the environment of process 1
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/proc/1/environ", 0) >= 0
