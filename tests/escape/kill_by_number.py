# attack: tries every process id for one that can be signalled
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused kill
won = any(call("kill", pid, 0) == 0 for pid in range(1, 500))
