# attack: hangs up the terminal
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("vhangup") == 0
