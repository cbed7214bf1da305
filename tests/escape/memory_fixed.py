# attack: maps over the null page
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == 0
