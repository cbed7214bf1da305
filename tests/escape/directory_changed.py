# attack: changes the working directory
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused chdir
won = call("chdir", b"/") == 0
