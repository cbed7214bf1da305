# attack: kills process 1
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused kill
won = call("kill", 1, 0) == 0 and call("kill", 1, SIGKILL) == 0
