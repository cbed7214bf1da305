# attack: hides the descriptor in the low half of an argument
# stopped by: sandbox/confine/calls.c
# expect: EBADF
won = call("read", 1 << 32, room(64), 64) >= 0
