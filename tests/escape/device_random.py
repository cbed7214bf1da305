# attack: opens devices until one opens
# stopped by: sandbox/confine/root.c
# expect: EACCES, refused openat
won = any(call("openat", AT_FDCWD, path, 0) >= 0
          for path in (b"/dev/kvm", b"/dev/mem", b"/dev/kmsg", b"/dev/fuse",
                       b"/dev/tty", b"/dev/urandom"))
