/*
 * steps: the confinement is what its two tables say, in this order
 *
 * What each step does, tests/confine shows.  This is for the reader of a
 * change: a step that is gone, new or elsewhere must be meant.
 */
#include <check.h>
#include <string.h>

#include "sandbox/box.h"
#include "sandbox/template.h"

Suite *suite_steps(void);

static void
expect_steps(const struct confine_step *steps, size_t count,
    const char *const *names, size_t name_count)
{
    ck_assert_uint_eq(count, name_count);
    for (size_t i = 0; i < count; i++)
        ck_assert_str_eq(steps[i].name, names[i]);
}

START_TEST(steps_of_a_template_are_these_in_this_order)
{
    static const char *const names[] = { "identity", "keyring", "namespaces",
        "root", "few_capabilities", "no_new_privs", "no_exec_gain",
        "speculation", "landlock", "files", "listener" };

    expect_steps(template_steps, template_step_count, names,
        sizeof(names) / sizeof(names[0]));
}
END_TEST

START_TEST(steps_of_a_box_are_these_in_this_order)
{
    static const char *const names[] = { "death", "fds", "rlimits",
        "no_capabilities", "undumpable", "verify", "measure", "seccomp" };

    expect_steps(
        box_steps, box_step_count, names, sizeof(names) / sizeof(names[0]));
}
END_TEST

/* Where two layers do the same, one may be missing; the rest must hold. */
START_TEST(steps_that_may_fail_are_these)
{
    static const char may_fail[] =
        " keyring namespaces root no_exec_gain speculation landlock ";

    for (size_t i = 0; i < template_step_count; i++)
        ck_assert_int_eq(template_steps[i].is_optional,
            strstr(may_fail, template_steps[i].name) != NULL);
    for (size_t i = 0; i < box_step_count; i++)
        ck_assert(!box_steps[i].is_optional);
}
END_TEST

Suite *
suite_steps(void)
{
    Suite *s = suite_create("steps");
    TCase *t = tcase_create("steps");

    tcase_add_test(t, steps_of_a_template_are_these_in_this_order);
    tcase_add_test(t, steps_of_a_box_are_these_in_this_order);
    tcase_add_test(t, steps_that_may_fail_are_these);
    suite_add_tcase(s, t);
    return s;
}
