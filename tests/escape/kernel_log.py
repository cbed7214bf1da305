# attack: reads the kernel's log
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM - of the host only; the kernel looked
won = call("syslog", 10, 0, 0) >= 0
