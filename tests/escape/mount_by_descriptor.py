# attack: mounts by the calls that take descriptors
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("fsopen", b"tmpfs", 0) >= 0
