# attack: makes a TCP socket
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
# after: CVE-2024-29021 (R16)
won = call("socket", 2, 1, 0) >= 0
