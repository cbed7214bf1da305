/*
 * supply - was memory refused while the interpreter was warmed up?
 *
 * A template that lacks an object is worse than none: a list of public names
 * that could not be read may show more than it should, and CPython forgets in
 * many places that something failed.  So between supply_watch() and
 * supply_end() every allocation of CPython's is looked at, and one refusal
 * means that nothing that was built can be trusted, whoever noticed.
 *
 * Not for: a run, where a program may ask for more than there is.
 */
#ifndef GLOVEBOX_SUPPLY_H
#define GLOVEBOX_SUPPLY_H

#include <stdbool.h>

/* Before CPython is started, and after all others who change allocators. */
void supply_watch(void);

/*
 * Puts the allocators back, if they were changed; true when every allocation
 * was granted.
 */
bool supply_end(void);

#endif
