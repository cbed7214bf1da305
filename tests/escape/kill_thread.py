# attack: signals a thread, by both calls
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused tgkill
won = (call("tkill", os.getpid(), 0) == 0
       or call("tgkill", os.getpid(), os.getpid(), 0) == 0)
