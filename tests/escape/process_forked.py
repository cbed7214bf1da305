# attack: forks
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused fork
pid = call("fork")
if pid == 0:
    os._exit(0)
won = pid > 0
