# attack: waits for children of others
# stopped by: sandbox/confine/calls.c
# expect: ECHILD, refused wait4
# control: won
pid = call("fork")
if pid == 0:
    os._exit(0)
won = call("wait4", -1, 0, 0, 0) > 0
