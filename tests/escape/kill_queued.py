# attack: queues a signal with a forged sender
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EPERM, EFAULT - the sender is checked; the kernel looked
won = call("rt_sigqueueinfo", 1, SIGUSR1, room(128)) == 0
