/*
 * message - one line of the client: what the bridge must know of it
 *
 * The bridge passes messages on as they are; it looks only for what it needs
 * itself: whether an answer is owed and under which id, and what the HTTP
 * headers of the request must repeat.  Judging a message is the service's
 * business, so a strange one is passed on as a request that wants an answer.
 *
 * Views point into the line.
 */
#ifndef GLOVEBOX_BRIDGE_MESSAGE_H
#define GLOVEBOX_BRIDGE_MESSAGE_H

#include "sandbox/base/buf.h"

enum message_kind {
    MESSAGE_NOT_JSON,
    MESSAGE_NOT_ONE, /* a batch, or no object */
    MESSAGE_REQUEST, /* an answer is owed */
    MESSAGE_SILENT, /* a notification, or an answer of the client's */
};

struct message {
    enum message_kind kind;
    struct view text; /* all of it */
    struct view id; /* as written; "null" when it has none */
    struct view method; /* a string token with its quotes, or empty */
    struct view params; /* an object, or empty */
    struct view version; /* the modern era's, a string token, or empty */
};

void message_read(struct message *m, struct view line);

bool message_is(const struct message *m, const char *method);

/* Whom notifications/cancelled means: its params.requestId, as written. */
bool message_cancels(const struct message *m, struct view *ret_id);

/*
 * The string token that Mcp-Name repeats: params.name or params.uri, as the
 * method has it; false when there is none.
 */
bool message_name(const struct message *m, struct view *ret_token);

#endif
