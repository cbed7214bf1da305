/* service - what every request may use */
#include "fcgi-app/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/base/clock.h"

static struct config *
config_new(void)
{
    struct config *c = calloc(1, sizeof(*c));

    if (c != NULL)
        atomic_init(&c->refs, 1);
    return c;
}

struct config *
config_load(const char *file, char *const envp[], char *problems, size_t size)
{
    struct config *c = config_new();

    if (c == NULL) {
        (void)snprintf(problems, size, "out of memory");
        return NULL;
    }
    if (settings_load(&c->settings, file, envp, problems, size) == 0)
        c->tokens = tokens_load(&c->settings, problems, size);
    settings_forget_secrets(&c->settings);
    if (c->tokens == NULL) {
        config_unref(c);
        return NULL;
    }
    return c;
}

void
config_unref(struct config *c)
{
    if (c == NULL || atomic_fetch_sub(&c->refs, 1) > 1)
        return;
    tokens_unref(c->tokens);
    free(c);
}

int
service_init(struct service *s, struct config *config)
{
    memset(s, 0, sizeof(*s));
    atomic_init(&s->is_stopping, false);
    (void)pthread_mutex_init(&s->lock, NULL);
    s->started_us = clock_mono_us();
    s->config = config;
    s->rates = rates_new();
    return s->rates != NULL ? 0 : -ENOMEM;
}

void
service_done(struct service *s)
{
    canary_free(s->canary);
    runs_free(s->runs);
    warden_link_free(s->link);
    rates_free(s->rates);
    config_unref(s->config);
    (void)pthread_mutex_destroy(&s->lock);
}

struct config *
service_config(struct service *s)
{
    struct config *c;

    (void)pthread_mutex_lock(&s->lock);
    c = s->config;
    atomic_fetch_add(&c->refs, 1);
    (void)pthread_mutex_unlock(&s->lock);
    return c;
}

int
service_reload(
    struct service *s, struct config *fresh, char *kept, size_t kept_size)
{
    struct config *old, *next = config_new();

    if (next == NULL) {
        config_unref(fresh);
        return -ENOMEM;
    }
    next->tokens = tokens_ref(fresh->tokens);
    (void)pthread_mutex_lock(&s->lock);
    old = s->config;
    next->settings = old->settings;
    settings_adopt(&next->settings, &fresh->settings, kept, kept_size);
    s->config = next;
    (void)pthread_mutex_unlock(&s->lock);
    config_unref(old);
    config_unref(fresh);
    return 0;
}
