# attack: reads and adjusts the clock's rate
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("adjtimex", room(256)) >= 0
