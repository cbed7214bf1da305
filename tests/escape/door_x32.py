# attack: makes a call by the numbers of x32
# stopped by: sandbox/confine/seccomp.c
# expect: forbidden
# control: ENOSYS - a kernel without x32; the kernel looked
won = call(0x40000000 | NUMBERS["getpid"]) > 0
