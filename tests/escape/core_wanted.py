# attack: makes itself dumpable again, for a core or a tracer
# stopped by: sandbox/confine/calls.c
# expect: forbidden
won = call("prctl", 4, 1, 0, 0, 0) == 0
