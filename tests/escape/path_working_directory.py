# attack: asks where it stands
# stopped by: sandbox/confine/calls.c
# expect: ENOENT
won = call("getcwd", room(256), 256) > 0
