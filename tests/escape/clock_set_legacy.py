# attack: sets the time of day
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EFAULT - it has no time to set; the kernel looked
won = call("settimeofday", 8, 0) == 0
