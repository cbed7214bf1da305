/*
 * warden - the long-lived parent in the sandbox program
 *
 * Orders in, boxes watched, outcomes out.  One thread, one epoll set; nothing
 * in here blocks on a box, a template or the app.
 */
#ifndef GLOVEBOX_WARDEN_H
#define GLOVEBOX_WARDEN_H

/* argv[0] of the warden; the program knows by it what it is. */
#define WARDEN_NAME "glovebox-warden"

/* The control socket, in a warden. */
#define WARDEN_FD 3

/*
 * The whole life of a warden; returns its exit status.  `ids` is "UID:GID",
 * who it becomes if it was started by root; from its starter, not from the
 * control socket.
 */
int warden_main(const char *ids);

#endif
