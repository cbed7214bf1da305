# attack: makes a file
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused creat
won = call("creat", b"planted", 0o600) >= 0
