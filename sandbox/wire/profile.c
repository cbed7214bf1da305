/* profile - what kind of Python a box offers, as data */
#include "sandbox/wire/profile.h"

#include <string.h>

/* The eight of the contract; ALLOWED_IMPORTS adds to them. */
static const char *const restricted_modules[] = {
    "collections",
    "collections.abc",
    "datetime",
    "functools",
    "itertools",
    "json",
    "json.decoder",
    "json.encoder",
    "math",
    "re",
    "typing",
    NULL,
};

/* clang-format off */
static const char *const standard_modules[] = {
    "__future__", "abc", "argparse", "array", "ast", "asyncio", "base64",
    "bisect", "builtins", "calendar", "cmath", "codecs", "collections",
    "collections.abc", "colorsys", "contextlib", "contextvars", "copy",
    "csv", "dataclasses", "datetime", "decimal", "difflib",
    "enum", "errno", "fnmatch", "fractions", "functools", "gc", "getpass",
    "glob", "graphlib", "hashlib", "heapq", "hmac", "html", "html.parser",
    "inspect", "io", "ipaddress", "itertools", "json", "json.decoder",
    "json.encoder", "keyword", "locale",
    "logging", "math", "numbers", "operator", "os", "os.path", "pathlib",
    "pickle", "platform", "posixpath", "pprint", "queue", "random", "re",
    "reprlib", "secrets", "selectors", "shlex", "shutil", "signal", "socket",
    "statistics", "string", "stringprep", "struct", "subprocess", "sys",
    "tempfile", "textwrap", "threading", "time", "timeit", "token",
    "tokenize", "traceback", "types", "typing", "unicodedata", "unittest",
    "unittest.mock", "urllib.parse", "uuid", "warnings", "weakref",
    "xml.etree.ElementTree", "zlib", "zoneinfo",
    NULL,
};
/* clang-format on */

#ifdef GLOVEBOX_TEST_PROFILES
static const char *const raw_modules[] = {
    "ctypes",
    "json",
    "os",
    "random",
    "select",
    "signal",
    "sys",
    "time",
    "_thread",
    NULL,
};
#endif

const struct profile profiles[PROFILE_COUNT] = {
    [PROFILE_RESTRICTED] = {
        .name = "restricted",
        .has_language_rules = true,
        .modules = restricted_modules,
        .sentence = "Python with checked names, attributes and imports",
    },
    [PROFILE_STANDARD] = {
        .name = "standard",
        .has_language_rules = false,
        .modules = standard_modules,
        .sentence = "all of Python and a broad part of its library",
    },
#ifdef GLOVEBOX_TEST_PROFILES
    [PROFILE_RAW] = {
        .name = "raw",
        .has_language_rules = false,
        .modules = raw_modules,
        .sentence = "for tests: an attacker who owns the interpreter",
    },
#endif
};

const struct profile *
profile_find(const char *name, size_t len)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        if (strlen(profiles[i].name) == len &&
            memcmp(profiles[i].name, name, len) == 0)
            return &profiles[i];
    return NULL;
}

enum profile_id
profile_id_of(const struct profile *p)
{
    return (enum profile_id)(p - profiles);
}
