# attack: uses the kernel's ciphers through AF_ALG
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
# control: EAFNOSUPPORT - a kernel without it; the kernel looked for the family
won = call("socket", 38, 5, 0) >= 0
