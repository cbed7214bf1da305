# attack: takes a descriptor of a tree of mounts
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("open_tree", AT_FDCWD, b"/", 0) >= 0
