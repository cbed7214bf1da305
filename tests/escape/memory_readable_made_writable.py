# attack: makes constants writable
# stopped by: sandbox/confine/calls.c
# expect: EPERM
page = ctypes.cast(LIBC.getpid, ctypes.c_void_p).value & ~4095
won = call("mprotect", page, 4096, PROT_READ | PROT_WRITE) == 0
