# attack: moves a mapping over another
# stopped by: sandbox/confine/calls.c
# expect: forbidden
page = call("mmap", 0, 8192, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
won = call("mremap", page, 4096, 4096, 3, page + 4096) > 0
