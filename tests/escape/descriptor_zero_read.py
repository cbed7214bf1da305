# attack: reads on from the descriptor that woke it
# stopped by: sandbox/warden.c
# expect: nothing
won = call("read", 0, room(64), 64) > 0
