# attack: locks all of its memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mlockall", 1) == 0
