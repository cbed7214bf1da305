# attack: becomes a real-time process
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM - where real-time time is given out by cgroup
won = call("sched_setscheduler", 0, 1, words(1)) == 0
