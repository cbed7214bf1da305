# attack: makes System V shared memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("shmget", 4242, 4096, 0o1666) >= 0
