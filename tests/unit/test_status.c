/* status: what /health shows is what the warden said */
#include <check.h>
#include <errno.h>
#include <string.h>

#include "sandbox/confine/confine.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/status.h"
#include "tests/unit/fenced.h"

Suite *suite_status(void);

/* Offsets of a packed status, as `sent` makes it. */
enum {
    PYTHON_AT = 4,
    PROBLEM_AT = PYTHON_AT + 4 + 6,
    LAYERS_AT = PROBLEM_AT + 4 + 4,
    NAME_AT = LAYERS_AT + 4,
    NOTE_AT = NAME_AT + 4 + 7 + 4,
    PROFILES_AT = NOTE_AT + 4 + 5 + (4 + 8 + 4 + 4),
    PROFILE_NAME_AT = PROFILES_AT + 4,
};

static const struct status sent = {
    .is_ready = 1,
    .python = "3.11.2",
    .problem = "none",
    .layer_count = 2,
    .layers = { { "seccomp", 1, "a bit" }, { "landlock", 0, "" } },
    .profile_count = 1,
    .profiles = { {
        .name = "restricted",
        .is_ready = 1,
        .parked = 2,
        .running = 3,
        .forks = 0x400000004,
        .templates = 0x500000005,
        .crashes = 0x600000006,
        .waits = 0x700000007,
    } },
};

static struct buf b;

static void
status_setup(void)
{
    buf_init(&b, STATUS_MAX_BODY);
    status_pack(&b, &sent);
}

static void
status_teardown(void)
{
    buf_done(&b);
}

static int
read_status(struct view body)
{
    struct status s;

    return status_unpack(body, &s);
}

START_TEST(status_comes_back_field_for_field)
{
    struct status s;

    memset(&s, 0xee, sizeof(s));
    ck_assert_int_eq(status_unpack(fenced_buf(&b), &s), 0);
    ck_assert_uint_eq(s.is_ready, 1);
    ck_assert_str_eq(s.python, "3.11.2");
    ck_assert_str_eq(s.problem, "none");
    ck_assert_uint_eq(s.layer_count, 2);
    ck_assert_str_eq(s.layers[0].name, "seccomp");
    ck_assert_uint_eq(s.layers[0].is_on, 1);
    ck_assert_str_eq(s.layers[0].note, "a bit");
    ck_assert_str_eq(s.layers[1].name, "landlock");
    ck_assert_uint_eq(s.layers[1].is_on, 0);
    ck_assert_str_eq(s.layers[1].note, "");
}
END_TEST

START_TEST(status_profiles_come_back_field_for_field)
{
    struct status s;

    ck_assert_int_eq(status_unpack(fenced_buf(&b), &s), 0);
    ck_assert_uint_eq(s.profile_count, 1);
    ck_assert_str_eq(s.profiles[0].name, "restricted");
    ck_assert_uint_eq(s.profiles[0].is_ready, 1);
    ck_assert_uint_eq(s.profiles[0].parked, 2);
    ck_assert_uint_eq(s.profiles[0].running, 3);
    ck_assert_uint_eq(s.profiles[0].forks, 0x400000004);
    ck_assert_uint_eq(s.profiles[0].templates, 0x500000005);
    ck_assert_uint_eq(s.profiles[0].crashes, 0x600000006);
    ck_assert_uint_eq(s.profiles[0].waits, 0x700000007);
}
END_TEST

START_TEST(status_cut_anywhere_is_refused)
{
    fenced_refuses_every_cut(&b, read_status);
}
END_TEST

START_TEST(status_with_a_byte_behind_it_is_refused)
{
    fenced_refuses_one_byte_more(&b, read_status);
}
END_TEST

static const struct {
    size_t at;
    uint32_t max;
} status_bounds[] = {
    { PYTHON_AT, STATUS_MAX_NAME - 1 },
    { PROBLEM_AT, STATUS_MAX_NOTE - 1 },
    { LAYERS_AT, STATUS_MAX_LAYERS },
    { NAME_AT, STATUS_MAX_NAME - 1 },
    { NOTE_AT, STATUS_MAX_NOTE - 1 },
    { PROFILES_AT, STATUS_MAX_PROFILES },
    { PROFILE_NAME_AT, STATUS_MAX_NAME - 1 },
};

START_TEST(status_over_a_bound_is_refused)
{
    fenced_refuses_above(
        &b, read_status, status_bounds[_i].at, status_bounds[_i].max);
}
END_TEST

/* So many layers and profiles, with texts so long, all of them really there. */
static int
read_status_with(
    uint32_t layers, uint32_t profiles_count, size_t name, size_t note)
{
    static const char text[2 * STATUS_MAX_NOTE] = "x";
    static const char figures[3 * 4 + 4 * 8] = "";
    struct buf big;
    int r;

    buf_init(&big, 65536);
    buf_add_u32(&big, 1);
    buf_add_block(&big, text, name);
    buf_add_block(&big, text, note);
    buf_add_u32(&big, layers);
    for (uint32_t i = 0; i < layers; i++) {
        buf_add_block(&big, text, name);
        buf_add_u32(&big, 1);
        buf_add_block(&big, text, note);
    }
    buf_add_u32(&big, profiles_count);
    for (uint32_t i = 0; i < profiles_count; i++) {
        buf_add_block(&big, text, name);
        buf_add(&big, figures, sizeof(figures));
    }
    r = read_status(fenced_buf(&big));
    buf_done(&big);
    return r;
}

START_TEST(status_with_one_thing_too_many_is_refused)
{
    const uint32_t layers = STATUS_MAX_LAYERS, rows = STATUS_MAX_PROFILES;
    const size_t name = STATUS_MAX_NAME - 1, note = STATUS_MAX_NOTE - 1;

    ck_assert_int_eq(read_status_with(0, 0, 0, 0), 0);
    ck_assert_int_eq(read_status_with(layers, rows, name, note), 0);
    ck_assert_int_eq(read_status_with(layers + 1, rows, name, note), -EPROTO);
    ck_assert_int_eq(read_status_with(layers, rows + 1, name, note), -EPROTO);
    ck_assert_int_eq(read_status_with(layers, rows, name + 1, note), -EPROTO);
    ck_assert_int_eq(read_status_with(layers, rows, name, note + 1), -EPROTO);
}
END_TEST

START_TEST(status_texts_without_an_end_are_cut_to_their_room)
{
    struct status s = sent, got;

    memset(s.python, 'x', sizeof(s.python));
    memset(s.problem, 'x', sizeof(s.problem));
    memset(&s.layers[0].note, 'x', sizeof(s.layers[0].note));
    buf_reset(&b);
    status_pack(&b, &s);
    ck_assert_int_eq(status_unpack(fenced_buf(&b), &got), 0);
    ck_assert_uint_eq(strlen(got.python), STATUS_MAX_NAME - 1);
    ck_assert_uint_eq(strlen(got.problem), STATUS_MAX_NOTE - 1);
    ck_assert_uint_eq(strlen(got.layers[0].note), STATUS_MAX_NOTE - 1);
}
END_TEST

START_TEST(status_of_the_largest_size_fits_its_body)
{
    struct status s, got;

    memset(&s, 'x', sizeof(s));
    s.layer_count = STATUS_MAX_LAYERS;
    s.profile_count = STATUS_MAX_PROFILES;
    buf_reset(&b);
    status_pack(&b, &s);
    ck_assert(buf_ok(&b));
    ck_assert_int_eq(status_unpack(fenced_buf(&b), &got), 0);
}
END_TEST

START_TEST(status_has_room_for_every_layer_and_profile_there_is)
{
    ck_assert_uint_le(LAYER_COUNT, STATUS_MAX_LAYERS);
    ck_assert_uint_le(PROFILE_COUNT, STATUS_MAX_PROFILES);
    for (size_t i = 0; i < LAYER_COUNT; i++)
        ck_assert_uint_lt(strlen(confine_layer_names[i]), STATUS_MAX_NAME);
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        ck_assert_uint_lt(strlen(profiles[i].name), STATUS_MAX_NAME);
}
END_TEST

START_TEST(status_that_is_refused_sets_nothing)
{
    struct status s;

    memset(&s, 0x5a, sizeof(s));
    ck_assert_int_eq(status_unpack(fenced(b.data, b.len - 1), &s), -EPROTO);
    for (size_t i = 0; i < sizeof(s); i++)
        ck_assert_int_eq(((char *)&s)[i], 0x5a);
}
END_TEST

Suite *
suite_status(void)
{
    Suite *s = suite_create("status");
    TCase *t = tcase_create("status");

    tcase_add_checked_fixture(t, status_setup, status_teardown);
    tcase_add_test(t, status_comes_back_field_for_field);
    tcase_add_test(t, status_profiles_come_back_field_for_field);
    tcase_add_test(t, status_cut_anywhere_is_refused);
    tcase_add_test(t, status_with_a_byte_behind_it_is_refused);
    tcase_add_loop_test(t, status_over_a_bound_is_refused, 0,
        sizeof(status_bounds) / sizeof(status_bounds[0]));
    tcase_add_test(t, status_with_one_thing_too_many_is_refused);
    tcase_add_test(t, status_texts_without_an_end_are_cut_to_their_room);
    tcase_add_test(t, status_of_the_largest_size_fits_its_body);
    tcase_add_test(t, status_has_room_for_every_layer_and_profile_there_is);
    tcase_add_test(t, status_that_is_refused_sets_nothing);
    suite_add_tcase(s, t);
    return s;
}
