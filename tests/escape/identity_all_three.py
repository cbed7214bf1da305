# attack: becomes root in all three ids
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("setresuid", 0, 0, 0) == 0
