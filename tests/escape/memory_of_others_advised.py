# attack: advises the kernel about another's memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF - -1 is no process; the kernel looked
won = call("process_madvise", -1, 0, 0, 0, 0) == 0
