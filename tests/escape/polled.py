# attack: waits on descriptors
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused poll
won = (call("select", 0, 0, 0, 0, words(0, 0)) >= 0
       or call("poll", 0, 0, 0) >= 0)
