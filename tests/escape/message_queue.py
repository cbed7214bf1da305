# attack: makes a System V message queue
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("msgget", 4242, 0o1666) >= 0
