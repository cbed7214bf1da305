/*
 * fence - interpreter internals that no program's frame can read
 *
 * The second line behind the validator: the descriptors that lead from an
 * object to frames, code, globals and base classes (function.__globals__,
 * generator.gi_frame, type.__mro__, ...) are replaced by ones that look at
 * who asks.  The library's own code gets its answer; a frame of the program,
 * or of text that was evaluated for it, gets an AttributeError.  So a way
 * round the static rules still ends here.
 */
#ifndef GLOVEBOX_FENCE_H
#define GLOVEBOX_FENCE_H

/* Restricted profile, once everything is loaded.  0, or -1 with an error. */
int fence_warm(void);

#endif
