# attack: tries descriptors 0 to 1023 for one that leads anywhere
# stopped by: sandbox/confine/fds.c
# expect: nothing
status = room(256)
usable = [fd for fd in range(1024)
          if call("fcntl", fd, 1, 0) >= 0
          or call("dup", fd) >= 0
          or call("pread64", fd, status, 0, 0) == 0
          or call("lseek", fd, 0, 1) >= 0
          or call("write", fd, b"", 0) == 0
          or call("ftruncate", fd, 0) == 0
          or (fd > 0 and call("read", fd, status, 0) == 0)]
won = len(usable) > 0
