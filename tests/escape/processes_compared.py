# attack: compares what it shares with another process
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS, EPERM - a kernel without it
won = call("kcmp", os.getpid(), os.getpid(), 2, 0, 0) >= 0
