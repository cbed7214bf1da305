# attack: connects a descriptor it has, hoping that it is a socket
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSOCK, ECONNREFUSED, ENETUNREACH - it is none; the kernel looked
won = call("connect", 0, b"\2\0\0\x50\x7f\0\0\1\0\0\0\0\0\0\0\0", 16) == 0
