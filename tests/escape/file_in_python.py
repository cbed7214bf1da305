# attack: reads a file through CPython's own open(), language rules off
# stopped by: sandbox/confine/calls.c
# expect: PermissionError, refused openat
with open("/etc/hostname", "rb", buffering=0) as f:
    won = f.read() is not None
