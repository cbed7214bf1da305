/*
 * fuzz_order_json - any body becomes an order within bounds, or a fault
 *
 * The first byte chooses small limits, so that their messages are reached
 * with short inputs too.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fcgi-app/json/scan.h"
#include "fcgi-app/json/utf8.h"
#include "fcgi-app/order_json.h"
#include "sandbox/wire/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct settings settings;

static void
must(bool is_so)
{
    if (!is_so)
        abort();
}

static bool
is_utf8(const char *text, size_t len)
{
    size_t n;

    for (; len > 0; text += n, len -= n) {
        n = utf8_char(text, len);
        if (n == 0)
            return false;
    }
    return true;
}

static void
load_once(void)
{
    char *envp[] = { NULL };
    char problems[256];

    if (settings.wall_ms == 0)
        must(settings_load(&settings, NULL, envp, problems, sizeof(problems)) ==
             0);
}

static void
check_order(const struct order_parse *p)
{
    const struct order *o = &p->order;

    must(o->code.len > 0 && o->code.len <= settings.code_bytes);
    must(is_utf8(o->code.data, o->code.len));
    must(o->stdin_text.len <= settings.stdin_bytes);
    must(is_utf8(o->stdin_text.data, o->stdin_text.len));
    must(o->wall_ms > 0 && o->wall_ms <= settings.wall_ms);
    must(o->cpu_ms >= 1000);
    must(o->profile < PROFILE_COUNT);
    must(o->context.len == 0 || p->context_detail[0] == '\0');
    if (o->context.len > 0)
        must(o->context.data[0] == '{' &&
             json_is_value(o->context, 1 + MAX_CONTEXT_DEPTH));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct token token = { .profiles = 3 };
    struct order_parse parse;
    char detail[ORDER_MAX_DETAIL];
    enum fault fault;

    if (size == 0)
        return 0;
    load_once();
    if (data[0] & 1)
        token.limits.code_bytes = 8;
    if (data[0] & 2)
        token.profiles = 1;
    settings.stdin_bytes = data[0] & 4 ? 8 : 1048576;
    order_parse_init(&parse);
    fault = order_from_json(&parse, view_of(data + 1, size - 1), &settings,
        &token, detail, sizeof(detail));
    if (fault == FAULT_NONE)
        check_order(&parse);
    else
        must(fault_row(fault)->has_detail && detail[0] != '\0');
    must(is_utf8(detail, strlen(detail)));
    must(is_utf8(parse.context_detail, strlen(parse.context_detail)));
    for (size_t i = 0; i < CONTEXT_KEYS_KEPT; i++)
        must(is_utf8(parse.keys.names[i], strlen(parse.keys.names[i])));
    order_parse_done(&parse);
    return 0;
}
