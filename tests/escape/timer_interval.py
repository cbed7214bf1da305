# attack: sets an interval timer
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused setitimer
won = call("setitimer", 0, words(0, 0, 0, 0), 0) == 0
