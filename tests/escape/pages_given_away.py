# attack: gives pages of its memory to a pipe (as in "dirty pipe")
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF, EINVAL - there is no pipe; the kernel looked
won = call("vmsplice", 1000, words(0, 0), 1, 0) >= 0
