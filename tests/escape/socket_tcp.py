# attack: makes a TCP socket
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = call("socket", 2, 1, 0) >= 0
