# attack: switches off the random layout of memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("personality", 0x0040000) >= 0
