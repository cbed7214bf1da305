# attack: loads a module into the kernel
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EFAULT, ENOSYS, EPERM, ENOEXEC - there is none to load; the kernel looked
won = call("init_module", 0, 0, 0) == 0
