# attack: becomes root
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("setuid", 0) == 0
