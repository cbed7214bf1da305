# attack: waits for a signal
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EAGAIN - none came; the kernel looked
won = call("rt_sigtimedwait", words(1 << 9), 0, words(0, 1), 8) > 0
