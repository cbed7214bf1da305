# attack: changes the name of the host
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("sethostname", b"mine", 4) == 0
