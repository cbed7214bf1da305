# attack: hides PROT_EXEC's neighbours in the high half of an argument
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | 1 << 32, -1, 0) > 0
