# attack: takes the ports of the machine
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM, ENOSYS - a locked kernel; the kernel looked
won = call("iopl", 0) == 0 and call("ioperm", 0x80, 1, 1) == 0
