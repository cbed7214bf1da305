# attack: asks which answers a filter can give
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("seccomp", 2, 0, words(0)) == 0
