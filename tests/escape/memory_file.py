# attack: makes a file in memory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("memfd_create", b"payload", 0) >= 0
