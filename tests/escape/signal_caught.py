# attack: replaces the handler of the signal that stops it
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("rt_sigaction", SIGUSR1, words(1, 0, 0, 0), 0, 8) == 0
