# attack: gives handlers a stack of its own
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("sigaltstack", 0, room(24)) == 0
