# attack: starts a program by posix_spawn()
# stopped by: sandbox/confine/calls.c
# expect: PermissionError
won = os.posix_spawn("/bin/true", ["true"], {}) > 0
