# attack: makes memory that the kernel cannot look into
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS - where secretmem is off
won = call("memfd_secret", 0) >= 0
