# attack: clones by the call whose flags no filter can see
# stopped by: sandbox/confine/calls.c
# expect: ENOSYS
pid = call("clone3", words(0, 0, 0, 0, SIGCHLD, 0, 0, 0), 64)
if pid == 0:
    os._exit(0)
won = pid > 0
