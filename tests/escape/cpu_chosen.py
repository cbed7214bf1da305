# attack: moves to a processor of its choice
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("sched_setaffinity", 0, 8, words(1)) == 0
