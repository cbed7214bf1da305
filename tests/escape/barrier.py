# attack: interrupts every processor
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without it
won = call("membarrier", 0, 0, 0) >= 0
