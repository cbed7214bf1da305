/*
 * temp - where a test may make its files
 *
 * $TMPDIR, so that a suite that leaves one behind is found out
 * (tests/support/leftovers.py).
 */
#ifndef GLOVEBOX_TEST_TEMP_H
#define GLOVEBOX_TEST_TEMP_H

#include <stddef.h>

/* Room enough for temp_template(). */
#define TEMP_MAX 64

/* A template for mkdtemp(). */
void temp_template(char path[TEMP_MAX]);
/* A new file, open; the caller removes it.  Its descriptor or -1. */
int temp_file(char path[TEMP_MAX]);

#endif
