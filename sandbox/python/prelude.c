/* prelude - prelude.py as it is linked in */
#include "sandbox/python/prelude.h"

const char prelude_text[] = {
#include "prelude.inc" /* bytes, each with a comma */
    0
};
