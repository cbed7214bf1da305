# attack: lists what is in the keyring of its user
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("keyctl", 0, -4, 1) > 0
