# attack: maps what is behind descriptor 0
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mmap", 0, 4096, PROT_READ, MAP_PRIVATE, 0, 0) > 0
