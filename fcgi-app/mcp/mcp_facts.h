/*
 * mcp_facts - what a model is told about this sandbox
 *
 * Texts for models name limits and modules, and these depend on the settings
 * and on the token.  So a text has places like @timeout_s@, and a table
 * (mcp_facts.c) says what stands there.  Values are numbers and names of our
 * own; none needs escaping in JSON.
 */
#ifndef GLOVEBOX_MCP_FACTS_H
#define GLOVEBOX_MCP_FACTS_H

#include "fcgi-app/json/writer.h"
#include "sandbox/base/buf.h"

struct exchange; /* fcgi-app/route.h */

/* Clients cut instructions and descriptions at 2 KB. */
#define MCP_MAX_WORDS 2000
#define MCP_MAX_FILLED 16384

extern const char mcp_instructions[];

/* `text` with its places filled. */
void mcp_fill(struct buf *b, const char *text, const struct exchange *x);

/* Likewise, as a JSON string. */
void mcp_put_filled_text(
    struct json_writer *w, const char *text, const struct exchange *x);
/* Likewise, the text being JSON already. */
void mcp_put_filled_json(
    struct json_writer *w, const char *text, const struct exchange *x);

/* The tool sandbox_info: its structured result. */
void mcp_put_info(struct json_writer *w, const struct exchange *x);

#endif
