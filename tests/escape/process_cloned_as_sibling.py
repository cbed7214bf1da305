# attack: clones a sibling, a child of whoever made it
# stopped by: sandbox/confine/calls.c
# expect: EPERM
# control: EINVAL - the first of a namespace may not; the kernel looked
pid = call("clone", CLONE_PARENT, 0, 0, 0, 0)
if pid == 0:
    os._exit(0)
won = pid > 0
