# attack: kills all it can reach
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused kill
# control: ESRCH - it is alone in its namespace; the kernel looked
won = call("kill", -1, SIGKILL) == 0
