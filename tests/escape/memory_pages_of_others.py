# attack: asks where the pages of another process lie
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without nodes
won = call("move_pages", os.getpid(), 0, 0, 0, 0, 0) == 0
