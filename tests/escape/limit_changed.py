# attack: changes a limit
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused setrlimit
won = call("setrlimit", 3, words(2 ** 20, 2 ** 20)) == 0
