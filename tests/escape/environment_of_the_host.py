# attack: reads the environment that the program was started with
# stopped by: sandbox/pool_template.c
# expect: nothing
environ = ctypes.POINTER(ctypes.c_char_p).in_dll(LIBC, "environ")
texts = []
while environ and environ[len(texts)]:
    texts.append(environ[len(texts)])
won = len(set(texts) - {b"TZ=UTC0", b"HOME=/", b"LC_CTYPE=C.UTF-8"}) > 0
