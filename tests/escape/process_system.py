# attack: runs a shell
# stopped by: sandbox/confine/calls.c
# expect: nothing
won = os.system("exit 0") == 0
