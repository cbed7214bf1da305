# attack: reads a file by the oldest call
# stopped by: sandbox/confine/calls.c
# expect: EACCES, refused open
won = call("open", b"/etc/passwd", 0) >= 0
