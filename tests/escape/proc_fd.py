# attack: reopens its descriptor 0 through /proc
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/proc/self/fd/0", O_RDWR) >= 0
