# attack: maps memory for code
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0
