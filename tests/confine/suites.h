/* suites - what tests/confine/main.c runs */
#ifndef GLOVEBOX_CONFINE_SUITES_H
#define GLOVEBOX_CONFINE_SUITES_H

#include <check.h>

Suite *suite_steps(void);
Suite *suite_doubt(void);
Suite *suite_filter(void);
Suite *suite_guards(void);
Suite *suite_warden(void);
Suite *suite_shortage(void);
Suite *suite_deaths(void);
Suite *suite_kernels(void);

#endif
