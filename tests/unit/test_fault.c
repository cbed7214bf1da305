/* fault: the texts that callers rely on */
#include <check.h>
#include <string.h>

#include "sandbox/base/fault.h"

Suite *suite_fault(void);

static const struct {
    enum fault fault;
    int status;
    const char *sentence; /* NULL: any, but not empty */
} promised[] = {
    { FAULT_NOT_FOUND, 404, "Not found" },
    { FAULT_METHOD, 405, "Method not allowed" },
    { FAULT_NO_TOKEN_SET, 503, "API token not configured" },
    { FAULT_TOKEN, 401, "Invalid or missing executor token" },
    { FAULT_BODY_SIZE, 413, NULL },
    { FAULT_MEDIA_TYPE, 415, NULL },
    { FAULT_JSON, 422, NULL },
    { FAULT_FIELD, 422, NULL },
    { FAULT_REFUSED, 400, NULL },
    { FAULT_BUSY, 429, NULL },
    { FAULT_QUEUE_TIMEOUT, 429, NULL },
    { FAULT_SANDBOX, 503, "Sandbox not initialized" },
    { FAULT_STOPPING, 503, NULL },
    { FAULT_INTERNAL, 500, NULL },
};

START_TEST(fault_rows_have_the_status_and_sentence_of_the_contract)
{
    const struct fault_row *row = fault_row(promised[_i].fault);

    ck_assert_int_eq(row->status, promised[_i].status);
    if (promised[_i].sentence != NULL)
        ck_assert_str_eq(row->sentence, promised[_i].sentence);
    ck_assert_uint_gt(strlen(row->sentence), 0);
}
END_TEST

START_TEST(fault_every_number_has_a_row_with_a_name_of_its_own)
{
    for (int i = 0; i < FAULT_COUNT; i++) {
        ck_assert_ptr_nonnull(fault_row((enum fault)i)->name);
        ck_assert_ptr_nonnull(fault_row((enum fault)i)->sentence);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(
                fault_row((enum fault)i)->name, fault_row((enum fault)j)->name);
    }
}
END_TEST

START_TEST(fault_retry_after_goes_with_what_passes_by_itself)
{
    ck_assert_uint_gt(fault_row(FAULT_BUSY)->retry_after_s, 0);
    ck_assert_uint_gt(fault_row(FAULT_QUEUE_TIMEOUT)->retry_after_s, 0);
    ck_assert_uint_gt(fault_row(FAULT_SANDBOX)->retry_after_s, 0);
    ck_assert_uint_gt(fault_row(FAULT_STOPPING)->retry_after_s, 0);
    ck_assert_uint_gt(fault_row(FAULT_AUDIT)->retry_after_s, 0);
    ck_assert_uint_eq(fault_row(FAULT_NO_TOKEN_SET)->retry_after_s, 0);
    ck_assert_uint_eq(fault_row(FAULT_TOKEN)->retry_after_s, 0);
    ck_assert_uint_eq(fault_row(FAULT_INTERNAL)->retry_after_s, 0);
}
END_TEST

START_TEST(fault_detail_reaches_the_caller_only_for_his_own_mistakes)
{
    for (int i = 0; i < FAULT_COUNT; i++)
        ck_assert_int_eq(fault_row((enum fault)i)->has_detail,
            i == FAULT_JSON || i == FAULT_FIELD || i == FAULT_REFUSED);
}
END_TEST

START_TEST(fault_queue_timeout_names_the_timeout_that_fired)
{
    ck_assert_ptr_nonnull(
        strstr(fault_row(FAULT_QUEUE_TIMEOUT)->sentence, "QUEUE_TIMEOUT_MS"));
}
END_TEST

START_TEST(fault_unknown_number_reads_as_internal)
{
    ck_assert_ptr_eq(fault_row(FAULT_COUNT), fault_row(FAULT_INTERNAL));
    ck_assert_ptr_eq(fault_row((enum fault) - 1), fault_row(FAULT_INTERNAL));
}
END_TEST

Suite *
suite_fault(void)
{
    Suite *s = suite_create("fault");
    TCase *t = tcase_create("fault");

    tcase_add_loop_test(t,
        fault_rows_have_the_status_and_sentence_of_the_contract, 0,
        sizeof(promised) / sizeof(promised[0]));
    tcase_add_test(t, fault_every_number_has_a_row_with_a_name_of_its_own);
    tcase_add_test(t, fault_retry_after_goes_with_what_passes_by_itself);
    tcase_add_test(
        t, fault_detail_reaches_the_caller_only_for_his_own_mistakes);
    tcase_add_test(t, fault_queue_timeout_names_the_timeout_that_fired);
    tcase_add_test(t, fault_unknown_number_reads_as_internal);
    suite_add_tcase(s, t);
    return s;
}
