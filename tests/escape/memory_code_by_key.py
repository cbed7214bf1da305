# attack: makes memory executable by the call with protection keys
# stopped by: sandbox/confine/calls.c
# expect: forbidden
page = call("mmap", 0, 4096, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
won = call("pkey_mprotect", page, 4096, PROT_READ | PROT_EXEC, -1) == 0
