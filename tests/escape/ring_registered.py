# attack: registers buffers with an io_uring
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSUP, EBADF, EPERM, ENOSYS, EINVAL - there is none; the kernel looked
won = call("io_uring_register", 0, 0, 0, 0) >= 0
