# attack: enters an io_uring that is not there
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSUP, EBADF, EPERM, ENOSYS, EINVAL - there is none; the kernel looked
won = call("io_uring_enter", 0, 1, 0, 0, 0, 0) >= 0
