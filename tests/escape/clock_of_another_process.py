# attack: reads the CPU clock of process 1, which tells what it does
# stopped by: sandbox/confine/calls.c
# expect: EINVAL
won = call("clock_gettime", ~1 << 3 | 2, room(16)) == 0
