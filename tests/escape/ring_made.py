# attack: makes an io_uring, whose work no filter sees
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM, ENOSYS - where kernel.io_uring_disabled is set
won = call("io_uring_setup", 4, room(120)) >= 0
