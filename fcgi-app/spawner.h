/*
 * spawner - starts wardens, with the rights that the app gives up
 *
 * Started as root, the app drops to a user without rights before it reads its
 * first request; a warden that must be started anew after that could not have
 * the rights of the first.  So the app leaves this small process behind, as it
 * was before the drop.  It can do one thing: take a descriptor from the app
 * and start the one program it was told at its own start with that descriptor
 * as number 3.  Nothing else that the app sends reaches it, but that it shall
 * leave the app's files alone.
 *
 * There is at most one warden: a new one is started only after the one before
 * has been killed and waited for.  When the app ends, for whatever reason, the
 * spawner sees end of file, gives the warden a moment to end and kills it.
 *
 * Not for: talking to the warden (warden_link.c).
 */
#ifndef GLOVEBOX_SPAWNER_H
#define GLOVEBOX_SPAWNER_H

#include <stdbool.h>
#include <stdint.h>

#define SPAWNER_FILES 2

/* What is to be removed when the app has ended. */
struct spawner_files {
    const char *paths[SPAWNER_FILES]; /* each may be NULL */
    bool are_kept; /* as if by spawner_keep_files() */
};

/*
 * Fork the spawner.  To be called while there is only one thread.  `program`
 * is the path of glovebox-sandbox, `uid` and `gid` are what a warden becomes
 * that is started as root: fixed here, so that an app in foreign hands cannot
 * choose; `files` may be NULL: none.  Returns the app's end of its socket,
 * which the caller owns (closing it ends the spawner), or -errno.
 */
int spawner_start(const char *program, const struct spawner_files *files,
    uint32_t uid, uint32_t gid);

/*
 * Start a warden whose descriptor 3 is `control_fd` (which stays open here).
 * Returns its process id or -errno; -ENOTCONN when the spawner itself is gone.
 * One caller at a time.
 */
int spawner_ask(int spawner_fd, int control_fd);

/*
 * While two services share the files, neither may remove them: not the one
 * that hands over, nor the one that may still fail to come up.  May be called
 * beside spawner_ask().  0 or -errno.
 */
int spawner_keep_files(int spawner_fd, bool are_kept);

#endif
