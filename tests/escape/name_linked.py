# attack: makes links, hard and soft
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused link
call("mknod", b"target", 0o100600, 0)
won = (call("symlink", b"/etc/passwd", b"soft") == 0
       or call("link", b"target", b"hard") == 0)
