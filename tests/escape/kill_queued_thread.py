# attack: queues a signal for a thread
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM, EFAULT - the sender is checked; the kernel looked
won = call("rt_tgsigqueueinfo", 1, 1, SIGUSR1, room(128)) == 0
