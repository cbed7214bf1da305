# attack: makes a System V semaphore
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("semget", 4242, 1, 0o1666) >= 0
