# attack: asks which processors there are
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("sched_getaffinity", 0, 128, room(128)) > 0
