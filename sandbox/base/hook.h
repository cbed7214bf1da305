/*
 * hook - what a test wants to go wrong, in test builds only
 *
 * A guard is worth what the test is worth that notices its absence.  In a
 * build with GLOVEBOX_TEST_HOOKS a file beside the program, named after it
 * with ".hook" at its end, says what to break, one `verb:what` a line:
 *
 *   fail:STEP         this step of template_steps[] or box_steps[] fails, EIO
 *   skip:STEP         this step is left out; its layer stays off
 *   drop-call:N       row N of call_rows[] is not in the filters
 *   allow-call:N      row N allows what it should refuse
 *   bare-call:N       row N does not look at arguments
 *   allow-rest:calls  what is in no row is allowed instead of killed
 *   drop-rule:NAME    this rule of the language is off (rules.h)
 *
 * Where N stands, the name of a call means every row of that name.  The file
 * is read once, by a process that still sees files: a warden or a template
 * when it starts.  So it can be changed while a service runs; the next
 * template obeys it.
 *
 * In any other build none of this is there: hook_has() is false, and the
 * compiler drops what stands behind it.
 */
#ifndef GLOVEBOX_HOOK_H
#define GLOVEBOX_HOOK_H

#include <stdbool.h>
#include <stddef.h>

#ifdef GLOVEBOX_TEST_HOOKS

bool hook_has(const char *verb, const char *what);
/* By its number, or by its name. */
bool hook_has_row(const char *verb, size_t number, const char *name);

#else

#define hook_has(verb, what) false
#define hook_has_row(verb, number, name) false

#endif

#endif
