# attack: reads its own memory map
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/proc/self/maps", 0) >= 0
