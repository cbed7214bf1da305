/*
 * notify - tell the service manager how we are
 *
 * systemd's protocol (sd_notify(3)) in the few lines that it takes: datagrams
 * of VARIABLE=value lines to the socket that NOTIFY_SOCKET names.  Without a
 * manager that asked for it every function does nothing.
 *
 * Not for: readiness of ops/up, which has a pipe for that (--ready-fd).
 */
#ifndef GLOVEBOX_NOTIFY_H
#define GLOVEBOX_NOTIFY_H

#include <stdint.h>

/*
 * Look at NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID, and connect while we
 * are still who we were started as.  Returns 0, also when there is nothing to
 * do, or -errno.
 */
int notify_open(void);

void notify_ready(void);
void notify_reloading(void); /* notify_ready() ends it */
void notify_stopping(void);
/* The watchdog is content.  To be said only while it has reason to be. */
void notify_alive(void);

/* How often to say so, in milliseconds; -1: nobody listens. */
int notify_alive_ms(void);

#endif
