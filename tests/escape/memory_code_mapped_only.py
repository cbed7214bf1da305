# attack: maps memory that can only be executed
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) > 0
