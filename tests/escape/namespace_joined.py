# attack: joins the namespace of another
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF - -1 is none; the kernel looked
won = call("setns", -1, 0) == 0
