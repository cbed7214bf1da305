# attack: opens its memory as a file, past the protection of pages
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/proc/self/mem", O_RDWR) >= 0
