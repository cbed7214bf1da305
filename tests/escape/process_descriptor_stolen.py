# attack: takes a descriptor out of another process
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF - -1 is no process; the kernel looked
won = call("pidfd_getfd", -1, 0, 0) >= 0
