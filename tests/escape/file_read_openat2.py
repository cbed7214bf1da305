# attack: reads a file by a call whose flags are behind a pointer
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused openat2
won = call("openat2", AT_FDCWD, b"/etc/passwd", words(0, 0, 0), 24) >= 0
