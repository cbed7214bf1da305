/* link - a warden of gloveboxctl's own, without the service */
#include "fcgi-app/ctl/link.h"

#include <string.h>

#include "fcgi-app/spawner.h"

struct warden_link *
ctl_link_new(const struct settings *settings, uint32_t profiles,
    struct setup *ret_setup, const char **ret_problem)
{
    struct warden_link *link;
    int spawner_fd = spawner_start(
        settings->sandbox_program, NULL, settings->box_uid, settings->box_gid);

    if (spawner_fd < 0) {
        *ret_problem = strerror(-spawner_fd);
        return NULL;
    }
    settings_to_setup(settings, ret_setup);
    ret_setup->log_level = LOG_ERROR;
    ret_setup->profiles = profiles;
    ret_setup->parked = 1;
    link = warden_link_new(spawner_fd, ret_setup);
    if (link == NULL)
        *ret_problem = "out of memory";
    return link;
}
