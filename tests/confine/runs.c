/* runs - one warden, one lane, order after order */
#include "tests/confine/runs.h"

#include <check.h>
#include <string.h>
#include <unistd.h>

struct client client;
int lane = -1;
struct buf room;
struct outcome got;

struct setup
one_parked(void)
{
    struct setup s = client_setup();

    s.profiles = 1u << PROFILE_RESTRICTED;
    s.parked = 1;
    return s;
}

void
start_with(struct setup s)
{
    ck_assert_int_eq(client_start(&client, &s), 0);
    while (!client.status.is_ready) {
        ck_assert_str_eq(client.status.problem, "");
        ck_assert_int_eq(client_read_status(&client, 10000), 0);
    }
    lane = client_lane(&client);
    ck_assert_int_ge(lane, 0);
}

void
start(void)
{
    start_with(client_setup());
}

void
stop(void)
{
    (void)close(lane);
    ck_assert_int_eq(client_stop(&client), 0);
}

void
run_order_of(const struct order *o)
{
    buf_done(&room);
    ck_assert_int_eq(client_send(&client, lane, o), 0);
    ck_assert_int_eq(client_recv(&client, lane, 25000, &room, &got), 0);
}

void
run_in(enum profile_id profile, const char *code)
{
    struct order o = client_order(&client, profile, code);

    run_order_of(&o);
}

void
run(const char *code)
{
    run_in(PROFILE_STANDARD, code);
}

void
expect_value(const char *json)
{
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.claim.kind, CLAIM_VALUE);
    ck_assert_uint_eq(got.claim.value.len, strlen(json));
    ck_assert_mem_eq(got.claim.value.data, json, strlen(json));
}

void
expect_error(const char *type)
{
    ck_assert_uint_eq(got.verdict, VERDICT_ENDED);
    ck_assert_uint_eq(got.claim.kind, CLAIM_ERROR);
    ck_assert_uint_eq(got.claim.type.len, strlen(type));
    ck_assert_mem_eq(got.claim.type.data, type, strlen(type));
}

bool
layer_is_on(const char *name)
{
    for (uint32_t i = 0; i < client.status.layer_count; i++)
        if (strcmp(client.status.layers[i].name, name) == 0)
            return client.status.layers[i].is_on;
    ck_abort_msg("no layer %s", name);
    return false;
}

void
expect_no_start(const char *problem)
{
    struct setup s = one_parked();

    ck_assert_int_eq(client_start(&client, &s), 0);
    ck_assert_int_eq((int)client.status.is_ready, 0);
    ck_assert_msg(strstr(client.status.problem, problem) != NULL,
        "problem is '%s'", client.status.problem);
    (void)client_stop(&client);
}
