# attack: makes a user namespace, where it would be root
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("unshare", CLONE_NEWUSER) == 0
