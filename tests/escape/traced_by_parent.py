# attack: asks to be traced
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("ptrace", 0, 0, 0, 0) == 0
