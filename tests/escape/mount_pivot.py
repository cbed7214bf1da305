# attack: pivots to another root
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EINVAL, EBUSY, ENOENT - its arguments are no mounts; the kernel read them
won = call("pivot_root", b".", b".") == 0
