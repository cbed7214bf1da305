# attack: makes a POSIX message queue
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("mq_open", b"meeting", O_CREAT | O_RDWR, 0o666, 0) >= 0
