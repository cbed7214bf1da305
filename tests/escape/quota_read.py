# attack: reads disk quotas
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOENT, ENOTBLK, ENOSYS, EFAULT, EINVAL, ENODEV, ESRCH - there are none; the kernel looked
won = call("quotactl", 0x80000700, b"/dev/none", 0, room(256)) == 0
