# attack: clones itself
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused clone
pid = call("clone", SIGCHLD, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
won = pid > 0
