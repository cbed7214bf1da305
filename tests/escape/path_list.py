# attack: lists the root directory
# stopped by: sandbox/confine/calls.c
# expect: PermissionError, refused openat
won = len(os.listdir("/")) > 0
