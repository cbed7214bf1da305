# attack: maps memory for code and calls it a stack
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_READ | PROT_EXEC,
           MAP_PRIVATE | MAP_ANONYMOUS | 0x20000, -1, 0) > 0
