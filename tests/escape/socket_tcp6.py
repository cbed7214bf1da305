# attack: makes a TCP socket for IPv6
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = call("socket", 10, 1, 0) >= 0
