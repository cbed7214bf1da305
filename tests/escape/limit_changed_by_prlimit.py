# attack: reads and raises limits, its own and those of others
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = (call("prlimit64", 0, 9, words(-1, -1), 0) == 0
       or call("prlimit64", 1, 9, 0, room(16)) == 0)
