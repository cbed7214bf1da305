# attack: mounts a file system
# stopped by: sandbox/confine/calls.c
# expect: forbidden
call("mkdir", b"mounted", 0o700)
won = call("mount", b"none", b"mounted", b"tmpfs", 0, 0) == 0
