# attack: becomes another program
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused execve
# control: exec - it becomes /bin/true, which says nothing
won = call("execve", b"/bin/true", 0, 0) == 0
