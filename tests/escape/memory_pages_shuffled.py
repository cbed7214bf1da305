# attack: rearranges the pages of a mapping
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EINVAL - a private mapping cannot; the kernel looked
page = call("mmap", 0, 8192, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
won = call("remap_file_pages", page, 4096, 0, 1, 0) == 0
