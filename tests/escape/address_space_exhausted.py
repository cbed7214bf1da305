# attack: maps more memory than it may
# stopped by: sandbox/confine/rlimits.c
# expect: ENOMEM
won = call("mmap", 0, 1 << 31, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0
