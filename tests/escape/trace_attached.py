# attack: traces process 1
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("ptrace", 0x4206, 1, 0, 0) == 0
