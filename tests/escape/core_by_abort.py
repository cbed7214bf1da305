# attack: aborts, for a core file
# stopped by: sandbox/confine/privs.c
# expect: crash
# control: crash - a process that aborts
os.abort()
