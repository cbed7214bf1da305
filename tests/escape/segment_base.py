# attack: sets the base of a segment register
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("arch_prctl", 0x1004, room(8)) == 0
