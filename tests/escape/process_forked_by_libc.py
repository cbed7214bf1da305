# attack: forks through libc, as os.fork() does
# stopped by: sandbox/confine/calls.c
# expect: PermissionError, refused clone
pid = os.fork()
if pid == 0:
    os._exit(0)
won = pid > 0
