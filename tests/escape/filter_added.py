# attack: adds a filter with a listener of its own
# stopped by: sandbox/confine/calls.c
# expect: forbidden
call("prctl", 38, 1, 0, 0, 0)
code = words(0x7fff000000000006)
program = words(1, ctypes.addressof(code))
won = call("seccomp", 1, 8, program) >= 0
