# attack: makes a raw socket
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = call("socket", 2, 3, 1) >= 0
