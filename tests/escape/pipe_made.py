# attack: makes a pipe
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused pipe
won = call("pipe2", room(8), 0) == 0 or call("pipe", room(8)) == 0
