# attack: becomes more important
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused setpriority
won = call("setpriority", 0, 0, -5) == 0
