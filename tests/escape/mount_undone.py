# attack: takes the empty root away to see what is below
# stopped by: sandbox/confine/calls.c
# expect: forbidden
call("mkdir", b"below", 0o700)
call("mount", b"none", b"below", b"tmpfs", 0, 0)
won = call("umount2", b"below", 2) == 0
