# attack: loads a module from a descriptor
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF, ENOSYS, EPERM, EINVAL - -1 is none; the kernel looked
won = call("finit_module", -1, 0, 0) == 0
