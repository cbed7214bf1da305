/* prelude - prelude.py as it is linked in (Makefile makes prelude.inc) */
#ifndef GLOVEBOX_PRELUDE_H
#define GLOVEBOX_PRELUDE_H

extern const char prelude_text[];

#endif
