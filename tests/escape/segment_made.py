# attack: makes a segment of its own in the local descriptor table
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without it
won = call("modify_ldt", 0, room(64), 64) >= 0
