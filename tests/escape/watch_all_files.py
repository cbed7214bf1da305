# attack: watches a whole file system
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("fanotify_init", 0, 0) >= 0
