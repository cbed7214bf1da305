# attack: blocks every signal
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("rt_sigprocmask", 0, words(-1), 0, 8) == 0
