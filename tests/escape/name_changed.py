# attack: takes the name of another process
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("prctl", 15, b"glovebox-warden", 0, 0, 0) == 0
