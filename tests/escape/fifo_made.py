# attack: makes a named pipe to talk to others
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused mknodat
won = call("mknodat", AT_FDCWD, b"pipe", 0o010600, 0) == 0
