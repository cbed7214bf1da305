/* openapi - docs/openapi.json as it is linked in */
#include "fcgi-app/openapi.h"

const char openapi_text[] = {
#include "openapi.inc" /* bytes, each with a comma */
    0
};
const size_t openapi_len = sizeof(openapi_text) - 1;
