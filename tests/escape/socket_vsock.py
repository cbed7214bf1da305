# attack: talks to the hypervisor
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
# control: EAFNOSUPPORT - a kernel without it; the kernel looked for the family
won = call("socket", 40, 1, 0) >= 0
