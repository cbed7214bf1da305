# attack: switches process accounting off
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS, EPERM - a kernel without it
won = call("acct", 0) == 0
