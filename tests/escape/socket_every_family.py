# attack: makes a socket of every family and kind
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socket
won = any(call("socket", family, kind, 0) >= 0
          for family in range(48) for kind in (1, 2, 3, 5))
