# attack: talks to the kernel by netlink
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = call("socket", 16, 3, 0) >= 0
