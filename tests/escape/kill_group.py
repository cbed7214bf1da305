# attack: kills its process group
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused kill
won = call("kill", 0, 0) == 0
