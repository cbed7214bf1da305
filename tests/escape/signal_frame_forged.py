# attack: returns from a signal that never came, with registers of its choice
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: crash - the registers are rubbish; the kernel loaded them
won = call("rt_sigreturn") == 0
