# attack: makes a BPF map
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - a kernel without it
attributes = room(128)
ctypes.memmove(attributes, bytes((ctypes.c_uint32 * 4)(2, 4, 8, 1)), 16)
won = call("bpf", 0, attributes, 72) >= 0
