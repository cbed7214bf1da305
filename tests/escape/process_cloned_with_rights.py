# attack: clones into a user namespace, where it would be root
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused clone
pid = call("clone", SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
won = pid > 0
