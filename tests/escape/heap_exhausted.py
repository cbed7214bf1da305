# attack: grows the heap beyond its limit
# stopped by: sandbox/confine/rlimits.c
# expect: nothing
LIBC.sbrk.restype = ctypes.c_void_p
won = LIBC.sbrk(ctypes.c_long(1 << 30)) != 2 ** 64 - 1
