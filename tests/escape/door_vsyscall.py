# attack: asks for the time by the page of old, past the filter
# stopped by: sandbox/confine/seccomp.c
# expect: nothing, forbidden, crash SIGSEGV
# control: won or crash - where the page is not mapped
getcpu = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p,
                          ctypes.c_void_p)(0xffffffffff600800)
won = getcpu(ctypes.addressof(room(8)), ctypes.addressof(room(8)), None) == 0
