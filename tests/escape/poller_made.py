# attack: makes an epoll set
# stopped by: sandbox/confine/calls.c
# expect: EPERM, refused epoll_create1
won = call("epoll_create1", 0) >= 0
