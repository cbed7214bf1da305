# attack: binds an abstract name to meet another box
# stopped by: sandbox/confine/calls.c
# expect: forbidden
fd = call("socket", 1, 1, 0)
won = call("bind", fd, b"\1\0\0meeting", 10) == 0
