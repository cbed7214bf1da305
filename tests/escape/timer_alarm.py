# attack: sets an alarm
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused alarm
won = call("alarm", 0) >= 0
