# attack: changes its root directory
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("chroot", b"/") == 0
