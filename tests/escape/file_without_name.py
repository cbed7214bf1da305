# attack: makes a file that has no name
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused openat
won = call("openat", AT_FDCWD, b".", O_TMPFILE | O_RDWR, 0o600) >= 0
