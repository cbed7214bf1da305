/*
 * mcp_tools - the tools, as a table, and tools/list and tools/call
 *
 * A handler gets the text of the arguments (an object, strict JSON) and makes
 * a result: the structured one, from which the text for models is made, or
 * content of its own.  What is wrong with the arguments, or with the program,
 * is a result too (`is_error`), because only results reach the model.
 */
#ifndef GLOVEBOX_MCP_TOOLS_H
#define GLOVEBOX_MCP_TOOLS_H

#include "fcgi-app/mcp/mcp.h"

/*
 * Common clients cut a result at 50,000 characters, and the text of an error
 * at 11,000 or so; a cut JSON text is worth nothing.
 */
#define MCP_MAX_RESULT 49000
#define MCP_MAX_ERROR_TEXT 9900

struct mcp_result {
    struct buf structured; /* an object that conforms to the outputSchema */
    struct buf content; /* an array; empty: the structured one, as text */
    bool is_error;
};

/* A fault as in mcp_handler; c->error may be set instead of a result. */
typedef enum fault mcp_tool_handler(
    struct mcp_call *c, struct view arguments, struct mcp_result *ret);

struct mcp_tool {
    const char *name;
    const char *title;
    const char *description; /* may have places of mcp_facts */
    const char *input_schema; /* JSON; may have places of mcp_facts */
    const char *output_schema; /* JSON, or NULL */
    const char *annotations; /* JSON, or NULL */
    mcp_tool_handler *handle;
};

extern const struct mcp_tool mcp_tools[];
extern const size_t mcp_tool_count;
#ifdef GLOVEBOX_CONFORMANCE
extern const struct mcp_tool mcp_fixture_tools[];
extern const size_t mcp_fixture_tool_count;
#endif

mcp_handler mcp_tools_list, mcp_tools_call;

/* mcp_run.c */
mcp_tool_handler mcp_run_python, mcp_check_python;

#endif
