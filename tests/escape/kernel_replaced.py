# attack: loads another kernel
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EINVAL, ENOSYS, EPERM, EBADF - there is none to load; the kernel looked
won = call("kexec_load", 0, 0, 0, -1) == 0
