# attack: writes memory by process id
# stopped by: sandbox/confine/calls.c
# expect: forbidden
mine, theirs = room(8), room(8)
won = call("process_vm_writev", os.getpid(),
           words(ctypes.addressof(mine), 8), 1,
           words(ctypes.addressof(theirs), 8), 1, 0) == 8
