# attack: types into the terminal it was started from (TIOCSTI)
# stopped by: sandbox/confine/calls.c
# expect: ENOTTY
won = call("ioctl", 0, 0x5412, b"x") == 0
