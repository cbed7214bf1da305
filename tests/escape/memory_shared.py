# attack: maps memory that a child would share
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = call("mmap", 0, 4096, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_ANONYMOUS, -1, 0) > 0
