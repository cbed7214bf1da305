/*
 * openapi - docs/openapi.json as it is linked in; Makefile makes openapi.inc
 */
#ifndef GLOVEBOX_OPENAPI_H
#define GLOVEBOX_OPENAPI_H

#include <stddef.h>

extern const char openapi_text[];
extern const size_t openapi_len;

#endif
