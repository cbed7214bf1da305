# attack: sets the clock (the control with no time to set)
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused clock_settime
# control: EFAULT - it has no time to set; the kernel looked
won = call("clock_settime", 0, 0) == 0
