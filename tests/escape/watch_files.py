# attack: watches files of others for changes
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("inotify_init1", 0) >= 0
