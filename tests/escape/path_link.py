# attack: reads where the program lies on the host
# stopped by: sandbox/confine/calls.c
# expect: ENOENT, refused readlink
won = call("readlink", b"/proc/self/exe", room(256), 256) > 0
