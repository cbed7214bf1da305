# attack: changes its scheduling by the newer call
# stopped by: sandbox/confine/calls.c
# expect: forbidden
attributes = room(48)
attributes[0] = 48
won = call("sched_setattr", 0, attributes, 0) == 0
