# attack: listens on the wire
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = call("socket", 17, 3, 0x300) >= 0
