# attack: asks for kernel version and host name
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("uname", room(512)) == 0
