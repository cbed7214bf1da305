# attack: makes links, hard and soft
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused link
# after: CVE-2024-28185, CVE-2024-28189 (R15)
call("mknod", b"target", 0o100600, 0)
won = (call("symlink", b"/etc/passwd", b"soft") == 0
       or call("link", b"target", b"hard") == 0)
