# attack: passes a descriptor along
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSOCK, EFAULT - descriptor 0 is none; the kernel looked
won = call("sendmsg", 0, 0, 0) >= 0
