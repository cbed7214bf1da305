# attack: makes a pair of sockets
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused socketpair
won = call("socketpair", 1, 1, 0, room(8)) == 0
