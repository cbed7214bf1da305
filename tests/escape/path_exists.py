# attack: asks what there is, four ways
# stopped by: sandbox/confine/calls.c
# expect: ENOENT, refused stat
status = room(512)
won = (call("newfstatat", AT_FDCWD, b"/usr", status, 0) == 0
       or call("statx", AT_FDCWD, b"/usr", 0, 0xfff, status) == 0
       or call("access", b"/usr", 0) == 0
       or call("stat", b"/usr", status) == 0)
