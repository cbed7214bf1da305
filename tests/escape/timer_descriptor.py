# attack: makes a timer that is a descriptor
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("timerfd_create", 1, 0) >= 0
