/*
 * link - a warden of gloveboxctl's own, without the service
 *
 * Not for: the service, which starts its warden in main.c.
 */
#ifndef GLOVEBOX_CTL_LINK_H
#define GLOVEBOX_CTL_LINK_H

#include "fcgi-app/settings/settings.h"
#include "fcgi-app/warden_link.h"

#define CTL_READY_MS 30000

/*
 * Start a warden for these profiles (bits 1 << enum profile_id), as the
 * settings have it but with one box parked; *ret_setup is what it was told.
 * Returns the link, which the caller frees with warden_link_free(), or NULL
 * and one word about it in *ret_problem.
 */
struct warden_link *ctl_link_new(const struct settings *settings,
    uint32_t profiles, struct setup *ret_setup, const char **ret_problem);

#endif
