# attack: signals by a descriptor
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF - -1 is no process; the kernel looked
won = call("pidfd_send_signal", -1, SIGKILL, 0, 0) == 0
