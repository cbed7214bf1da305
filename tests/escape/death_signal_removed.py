# attack: outlives its parent
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("prctl", 1, 0, 0, 0, 0) == 0
