/*
 * The kernel layers, one step at a time and together.  Prints TAP.
 */
#include <stdlib.h>

#include "tests/confine/suites.h"
#include "tests/support/client.h"

int
main(void)
{
    SRunner *r = srunner_create(suite_steps());
    int failed;

    (void)client_program(); /* while we are who we are */

    srunner_add_suite(r, suite_doubt());
    srunner_add_suite(r, suite_filter());
    srunner_add_suite(r, suite_guards());
    srunner_add_suite(r, suite_warden());
    srunner_add_suite(r, suite_shortage());
    srunner_add_suite(r, suite_deaths());
    srunner_add_suite(r, suite_kernels());
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
