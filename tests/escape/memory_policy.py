# attack: chooses the memory node of its pages
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without nodes
won = call("set_mempolicy", 0, 0, 0) == 0
