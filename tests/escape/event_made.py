# attack: makes an event descriptor
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused eventfd2
won = call("eventfd2", 0, 0) >= 0
