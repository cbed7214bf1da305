# attack: takes the disk for itself
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("ioprio_set", 1, 0, 1 << 13) == 0
