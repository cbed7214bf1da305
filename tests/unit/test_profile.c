/* profile: known names only, and what each row promises */
#include <check.h>
#include <string.h>

#include "sandbox/wire/profile.h"

Suite *suite_profile(void);

static bool
has_module(enum profile_id id, const char *module)
{
    for (const char *const *m = profiles[id].modules; *m != NULL; m++)
        if (strcmp(*m, module) == 0)
            return true;
    return false;
}

START_TEST(profile_is_found_by_its_whole_name_only)
{
    ck_assert_ptr_eq(
        profile_find("restricted", 10), &profiles[PROFILE_RESTRICTED]);
    ck_assert_ptr_eq(profile_find("standard", 8), &profiles[PROFILE_STANDARD]);
    ck_assert_ptr_null(profile_find("", 0));
    ck_assert_ptr_null(profile_find("restricte", 9));
    ck_assert_ptr_null(profile_find("restricted", 9));
    ck_assert_ptr_null(profile_find("restricted\0", 11));
    ck_assert_ptr_null(profile_find("Restricted", 10));
    ck_assert_ptr_null(profile_find("standard ", 9));
}
END_TEST

START_TEST(profile_rows_know_their_own_numbers_and_are_complete)
{
    for (unsigned i = 0; i < PROFILE_COUNT; i++) {
        const struct profile *p = &profiles[i];

        ck_assert_uint_eq(profile_id_of(p), i);
        ck_assert_ptr_eq(profile_find(p->name, strlen(p->name)), p);
        ck_assert_ptr_nonnull(p->modules);
        ck_assert_ptr_nonnull(p->modules[0]);
        ck_assert_uint_gt(strlen(p->sentence), 0);
    }
}
END_TEST

START_TEST(profile_restricted_alone_has_language_rules)
{
    ck_assert(profiles[PROFILE_RESTRICTED].has_language_rules);
    ck_assert(!profiles[PROFILE_STANDARD].has_language_rules);
}
END_TEST

/* The eight modules that callers were promised. */
START_TEST(profile_restricted_offers_every_module_of_the_contract)
{
    static const char *const promised[] = { "collections", "datetime",
        "functools", "itertools", "json", "math", "re", "typing" };

    for (size_t i = 0; i < sizeof(promised) / sizeof(promised[0]); i++)
        ck_assert_msg(
            has_module(PROFILE_RESTRICTED, promised[i]), "%s", promised[i]);
}
END_TEST

START_TEST(profile_restricted_offers_nothing_that_reaches_outside)
{
    static const char *const dangerous[] = { "os", "sys", "io", "subprocess",
        "socket", "ctypes", "importlib", "builtins", "inspect", "gc", "pickle",
        "threading", "signal", "types", "operator" };

    for (size_t i = 0; i < sizeof(dangerous) / sizeof(dangerous[0]); i++)
        ck_assert_msg(
            !has_module(PROFILE_RESTRICTED, dangerous[i]), "%s", dangerous[i]);
}
END_TEST

START_TEST(profile_standard_offers_all_that_restricted_does)
{
    const char *const *m = profiles[PROFILE_RESTRICTED].modules;

    for (; *m != NULL; m++)
        ck_assert_msg(has_module(PROFILE_STANDARD, *m), "%s", *m);
}
END_TEST

START_TEST(profile_lists_no_module_twice)
{
    for (unsigned i = 0; i < PROFILE_COUNT; i++)
        for (const char *const *m = profiles[i].modules; *m != NULL; m++)
            for (const char *const *n = m + 1; *n != NULL; n++)
                ck_assert_str_ne(*m, *n);
}
END_TEST

#ifndef GLOVEBOX_TEST_PROFILES
START_TEST(profile_raw_does_not_exist_outside_the_test_build)
{
    ck_assert_ptr_null(profile_find("raw", 3));
    ck_assert_uint_eq(PROFILE_COUNT, 2);
}
END_TEST
#endif

Suite *
suite_profile(void)
{
    Suite *s = suite_create("profile");
    TCase *t = tcase_create("profile");

    tcase_add_test(t, profile_is_found_by_its_whole_name_only);
    tcase_add_test(t, profile_rows_know_their_own_numbers_and_are_complete);
    tcase_add_test(t, profile_restricted_alone_has_language_rules);
    tcase_add_test(t, profile_restricted_offers_every_module_of_the_contract);
    tcase_add_test(t, profile_restricted_offers_nothing_that_reaches_outside);
    tcase_add_test(t, profile_standard_offers_all_that_restricted_does);
    tcase_add_test(t, profile_lists_no_module_twice);
#ifndef GLOVEBOX_TEST_PROFILES
    tcase_add_test(t, profile_raw_does_not_exist_outside_the_test_build);
#endif
    suite_add_tcase(s, t);
    return s;
}
