# attack: makes a timer that outlives a handler
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("timer_create", 1, 0, room(8)) == 0
