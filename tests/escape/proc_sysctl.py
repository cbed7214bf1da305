# attack: opens a knob of the kernel
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b"/proc/sys/kernel/core_pattern", 0) >= 0
