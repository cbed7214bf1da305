# attack: asks for a key that somebody left
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOKEY - nobody left one; the kernel looked
won = call("request_key", b"user", b"canary", 0, 0) > 0
