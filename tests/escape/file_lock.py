# attack: locks an inode that another box has too
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("flock", 0, 1) == 0
