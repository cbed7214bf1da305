# attack: restarts the machine (the control with a wrong magic number)
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EINVAL - the number is wrong; the kernel looked
won = call("reboot", 0, 0, 0, 0) == 0
