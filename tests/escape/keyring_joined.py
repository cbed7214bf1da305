# attack: makes a session keyring
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("keyctl", 1, b"meeting") > 0
