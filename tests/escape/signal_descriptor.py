# attack: reads signals from a descriptor
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("signalfd4", -1, words(1 << 9), 8, 0) >= 0
