# attack: asks how full the disk is
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused statfs
won = call("statfs", b"/", room(256)) == 0
