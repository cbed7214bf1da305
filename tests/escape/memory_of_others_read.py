# attack: reads memory by process id
# stopped by: sandbox/confine/calls.c
# expect: forbidden
mine, theirs = room(8), ctypes.create_string_buffer(b"secret!")
won = call("process_vm_readv", os.getpid(),
           words(ctypes.addressof(mine), 8), 1,
           words(ctypes.addressof(theirs), 8), 1, 0) == 8
