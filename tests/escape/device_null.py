# attack: opens a device
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/dev/null", O_RDWR) >= 0
