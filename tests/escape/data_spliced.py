# attack: moves data between descriptors without reading it
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF, EINVAL - they are no pipes; the kernel looked
won = call("splice", 0, 0, 1, 0, 1, 0) >= 0
