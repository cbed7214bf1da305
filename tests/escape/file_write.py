# attack: makes a file where it stands and writes to it
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused openat
fd = call("openat", AT_FDCWD, b"written", O_CREAT | O_RDWR, 0o600)
won = fd >= 0 and call("write", fd, b"x", 1) == 1
