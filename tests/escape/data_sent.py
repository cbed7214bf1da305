# attack: copies from one descriptor to another
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF, EINVAL - they lead nowhere; the kernel looked
won = call("sendfile", 1000, 1001, 0, 1) >= 0
