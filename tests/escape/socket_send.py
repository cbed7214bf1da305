# attack: sends to where a descriptor may lead
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSOCK - descriptor 0 is none; the kernel looked
won = call("sendto", 0, b"x", 1, 0, 0, 0) == 1
