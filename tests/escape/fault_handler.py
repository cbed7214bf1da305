# attack: takes page faults in its own hands, to stop the kernel half way
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without it
won = call("userfaultfd", 1) >= 0
