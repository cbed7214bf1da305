# attack: gives itself capabilities
# stopped by: sandbox/confine/calls.c
# expect: forbidden
header = (ctypes.c_uint32 * 2)(0x20080522, 0)
won = call("capset", header, words(0, 0, 0)) == 0
