# attack: reads the path that the program was started by
# stopped by: sandbox/pool_template.c
# expect: nothing
LIBC.getauxval.restype = ctypes.c_char_p
path = LIBC.getauxval(ctypes.c_long(31)) or b""
won = path not in (b"/proc/self/exe", b"")
