# attack: opens by a handle it made up (CAP_DAC_READ_SEARCH, as in "shocker")
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: EBADF, ESTALE, EINVAL - the handle is no real one; the kernel read it
won = call("open_by_handle_at", -1, words(8, 2, 0), 0) >= 0
