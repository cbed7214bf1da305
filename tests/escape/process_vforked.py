# attack: borrows its own memory for a child
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused vfork
# control: crash - the child returns on its parent's stack; it was made
won = call("vfork") >= 0
