/*
 * warm - the interpreter of a template, in a fuzzer
 *
 * Unconfined, started with the first input.  Python itself is not
 * instrumented, and never frees what it has interned: leaks are not looked
 * for in these fuzzers.
 */
#ifndef GLOVEBOX_FUZZ_WARM_H
#define GLOVEBOX_FUZZ_WARM_H

#include <stdio.h>

#include "sandbox/python/interp.h"
#include "tests/fuzz/fuzz.h"

const char *__asan_default_options(void);

const char *
__asan_default_options(void)
{
    return "detect_leaks=0";
}

static inline void
fuzz_warm(void)
{
    static bool is_warm;
    static const struct setup setup = {
        .wall_ms = 1000,
        .cpu_ms = 1000,
        .memory_bytes = 1u << 30,
        .code_bytes = 1u << 20,
        .context_bytes = 1u << 20,
        .stdin_bytes = 1u << 20,
        .output_bytes = 65536,
        .return_bytes = 65536,
        .ast_nodes = 5000,
    };
    char problem[512];

    if (is_warm)
        return;
    if (interp_warm(&profiles[PROFILE_RESTRICTED], &setup, problem,
            sizeof(problem)) < 0) {
        (void)fprintf(stderr, "%s\n", problem);
        abort();
    }
    is_warm = true;
}

#endif
