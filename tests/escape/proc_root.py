# attack: leaves by the root of another process
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused chdir
won = call("chdir", b"/proc/1/root") == 0
