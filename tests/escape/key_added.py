# attack: leaves a key for another box
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("add_key", b"user", b"canary", b"x", 1, -3) > 0
