# attack: takes a descriptor of process 1
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("pidfd_open", 1, 0) >= 0
