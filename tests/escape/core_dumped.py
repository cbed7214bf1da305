# attack: crashes, for a core file with what it has in memory
# stopped by: sandbox/confine/privs.c
# expect: crash SIGSEGV
# control: crash - a process that reads address 0
ctypes.string_at(0)
