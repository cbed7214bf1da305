/*
 * validate - does the program keep to the restricted language?
 *
 * walk.c finds, this file puts it into words: the one message of a refusal,
 * or the list of all findings.
 */
#include "sandbox/python/py.h"

#include "sandbox/python/validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sandbox/python/imports.h"
#include "sandbox/python/rules.h"
#include "sandbox/python/text.h"
#include "sandbox/python/walk.h"

/* --- the answer ---------------------------------------------------------- */

/* The first part of a dotted name when that is already too much, else all. */
static size_t
shown_import(const struct hit *h, const char **ret_name)
{
    const char *name = PyUnicode_AsUTF8(h->import);
    const char *dot = name ? strchr(name, '.') : NULL;
    PyObject *root;
    bool root_is_allowed;

    PyErr_Clear();
    *ret_name = name ? name : "?"; /* no memory to read it */
    if (!dot)
        return strlen(*ret_name);
    root = PyUnicode_FromStringAndSize(name, dot - name);
    root_is_allowed = root && imports_is_allowed(root);
    Py_XDECREF(root);
    PyErr_Clear();
    return root_is_allowed ? strlen(name) : (size_t)(dot - name);
}

static void
add_quoted_message(
    struct text *t, const char *message, const char *name, size_t len)
{
    const char *slot = strstr(message, "%s");

    if (!slot) {
        text_adds(t, message);
        return;
    }
    text_add(t, message, (size_t)(slot - message));
    text_add(t, name, len < 200 ? len : 200);
    text_adds(t, slot + 2);
}

static void
add_hit_message(struct text *t, const struct walked *w, const struct hit *h,
    uint32_t max_nodes)
{
    const struct rule_row *row = &rule_rows[h->rule];
    const char *name = h->name;
    size_t len;

    if (h->rule == RULE_COMPLEX) {
        text_addf(t, "Code is too complex (%llu AST nodes); limit is %u",
            (unsigned long long)w->nodes, max_nodes);
        return;
    }
    len = h->rule == RULE_IMPORT ? shown_import(h, &name) : strlen(name);
    add_quoted_message(t, row->message, name, len);
    if (h->rule == RULE_PARSE)
        text_addf(t, " (line %d)", h->at.line);
}

static const struct hit *
first_hit(const struct walked *w)
{
    const struct hit *first = NULL;

    for (size_t i = 0; i < w->n_hits; i++)
        if (!first || hit_comes_before(&w->hits[i], first))
            first = &w->hits[i];
    return first;
}

int
validate_program(struct program *p, uint32_t max_nodes, struct claim *claim)
{
    static char message_room[512], instead_room[1400];
    struct text message = { message_room, 0, sizeof(message_room) };
    struct text instead = { instead_room, 0, sizeof(instead_room) };
    const struct walked *w = walk_tree(p, max_nodes);
    const struct hit *h = first_hit(w);
    const struct rule_row *row;

    if (!h && !w->failed)
        return 0;
    row = &rule_rows[h ? h->rule : RULE_PARSE];
    if (h)
        add_hit_message(&message, w, h, max_nodes);
    else
        text_adds(&message, "Code failed to parse: no memory");
    text_adds(&instead, row->instead);
    if (h && h->rule == RULE_IMPORT)
        text_adds(&instead, imports_text());
    claim->kind = CLAIM_REFUSED;
    claim->type = view_of(row->name, strlen(row->name));
    claim->message = text_view(&message);
    claim->traceback = text_view(&instead);
    claim->line = h && h->at.line > 0 ? (uint32_t)h->at.line : 0;
    claim->column = h && h->at.line > 0 ? (uint32_t)h->at.column + 1 : 0;
    return -1;
}

/* --- findings ------------------------------------------------------------ */

static void
add_json_text(struct text *t, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"' || text[i] == '\\')
            text_add(t, "\\", 1);
        if ((unsigned char)text[i] < 0x20)
            text_addf(t, "\\u%04x", text[i]);
        else
            t->data[t->len++] = text[i];
    }
}

static size_t
add_finding(char *room, size_t size, size_t len, const struct claim *c)
{
    struct text t = { room, len, size };

    /* in the worst case every byte of the message is escaped */
    if (size - len < 6 * c->message.len + 200)
        return len;
    text_addf(&t,
        "%s{\"line\":%u,\"column\":%u,\"rule\":\"%.*s\",\"message\":\"",
        len > 1 ? "," : "", c->line, c->column, (int)c->type.len, c->type.data);
    add_json_text(&t, c->message.data, c->message.len);
    text_adds(&t, "\"}");
    return t.len;
}

static int
by_place(const void *a, const void *b)
{
    const struct hit *x = a, *y = b;

    if (x->at.line != y->at.line)
        return x->at.line < y->at.line ? -1 : 1;
    return (x->at.column > y->at.column) - (x->at.column < y->at.column);
}

size_t
validate_findings(
    struct program *p, uint32_t max_nodes, char *room, size_t size)
{
    static struct hit sorted[WALK_MAX_HITS];
    const struct walked *w = walk_tree(p, max_nodes);
    size_t len = 1;

    room[0] = '[';
    memcpy(sorted, w->hits, w->n_hits * sizeof(sorted[0]));
    qsort(sorted, w->n_hits, sizeof(sorted[0]), by_place);
    for (size_t i = 0; i < w->n_hits; i++) {
        char message_room[512];
        struct text message = { message_room, 0, sizeof(message_room) };
        const struct hit *h = &sorted[i];
        const char *rule = rule_rows[h->rule].name;
        struct claim c = {
            .line = h->at.line > 0 ? (uint32_t)h->at.line : 0,
            .column = h->at.line > 0 ? (uint32_t)h->at.column + 1 : 0,
            .type = view_of(rule, strlen(rule)),
        };

        add_hit_message(&message, w, h, max_nodes);
        c.message = text_view(&message);
        len = add_finding(room, size - 1, len, &c);
    }
    room[len++] = ']';
    return len;
}

size_t
validate_one_finding(const struct claim *c, char *room, size_t size)
{
    size_t len;

    room[0] = '[';
    len = add_finding(room, size - 1, 1, c);
    room[len++] = ']';
    return len;
}
