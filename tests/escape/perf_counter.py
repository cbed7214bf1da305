# attack: opens a performance counter: a clock that sees its neighbours
# stopped by: sandbox/confine/calls.c
# expect: forbidden
# control: ENOSYS, ENOENT, ENOTSUP - a kernel without it
event = room(128)
ctypes.memmove(event, bytes((ctypes.c_uint32 * 2)(1, 128)), 8)
won = call("perf_event_open", event, 0, -1, -1, 0) >= 0
