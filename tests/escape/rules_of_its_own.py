# attack: makes a landlock ruleset
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOTSUP, ENOSYS - a kernel without it
won = call("landlock_create_ruleset", 0, 0, 1) > 0
