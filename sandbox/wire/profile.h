/*
 * profile - what kind of Python a box offers, as data
 *
 * One row a profile: whether the language rules apply and which modules are
 * loaded.  The kernel layer and the limits are the same for all.  The app
 * reads names from here, the template reads modules.
 */
#ifndef GLOVEBOX_PROFILE_H
#define GLOVEBOX_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

enum profile_id {
    PROFILE_RESTRICTED,
    PROFILE_STANDARD,
#ifdef GLOVEBOX_TEST_PROFILES
    PROFILE_RAW, /* kernel layer alone; no release build has it */
#endif
    PROFILE_COUNT
};

struct profile {
    const char *name;
    bool has_language_rules; /* validator, guards, facades */
    /*
     * Modules a program may import, NULL-terminated.  With language rules
     * this is the allow-list (ALLOWED_IMPORTS adds to it); without, it is
     * what the template loads.
     */
    const char *const *modules;
    const char *sentence; /* for documents and sandbox_info */
};

extern const struct profile profiles[PROFILE_COUNT];

/* NULL when there is none of that name. */
const struct profile *profile_find(const char *name, size_t len);
enum profile_id profile_id_of(const struct profile *p);

#endif
