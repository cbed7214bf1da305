# attack: writes a program into memory and executes it
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: exec - the program is a script that ends with status 0
fd = call("memfd_create", b"payload", 0)
script = b"#!/bin/true\n"
call("write", fd, script, len(script))
won = call("execve", b"/proc/self/fd/%d" % fd, words(0), words(0)) == 0
