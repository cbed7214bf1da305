# attack: adds swap
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EFAULT, EPERM - there is none; the kernel looked
won = call("swapon", 0, 0) == 0
