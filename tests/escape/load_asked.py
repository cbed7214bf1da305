# attack: asks how busy the machine is
# stopped by: sandbox/confine/calls.c
# expect: EPERM
won = (call("sysinfo", room(256)) == 0
       or call("getrusage", 0, room(256)) == 0
       or call("times", room(64)) > 0)
