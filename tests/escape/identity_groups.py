# attack: joins groups
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("setgroups", 0, 0) == 0
