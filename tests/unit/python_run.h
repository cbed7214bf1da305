/*
 * python_run - one order through sandbox/python, for tests
 *
 * A template is warmed in a fork of the test, forks once more for the order,
 * as a warden would have it, but nothing is confined.  What the slate holds
 * when both are gone is the answer.
 */
#ifndef GLOVEBOX_TEST_PYTHON_RUN_H
#define GLOVEBOX_TEST_PYTHON_RUN_H

#include <check.h>

#include "sandbox/wire/claim.h"
#include "sandbox/wire/order.h"
#include "sandbox/wire/profile.h"
#include "sandbox/wire/slate.h"

struct python_run {
    struct slate slate;
    struct claim claim;
    int status; /* as waitpid() gives it for the box */
};

/* What most tests want: `code` in `restricted`, wide bounds. */
struct order python_order(const char *code);

/*
 * Run it.  The result lies in static memory until the next call.  Fails the
 * test when the template does not warm up or the claim cannot be read.
 */
const struct python_run *python_run(enum profile_id id, const struct order *o);
/* The same with ALLOWED_IMPORTS. */
const struct python_run *python_run_with(
    enum profile_id id, const struct order *o, const char *imports);

/* The short form: `code` in `restricted`. */
const struct claim *python_claim(const char *code);

/* What was printed, NUL-terminated, in static memory. */
const char *python_out(const struct python_run *r);
const char *python_err(const struct python_run *r);

#define assert_text(view, text)                                                \
    ck_assert_msg((view).len == strlen(text) &&                                \
                      memcmp((view).data, (text), (view).len) == 0,            \
        "wanted %s, got %.*s", (text), (int)(view).len, (view).data)

#define assert_value(code, json)                                               \
    do {                                                                       \
        const struct claim *c_ = python_claim(code);                           \
        ck_assert_msg(c_->kind == CLAIM_VALUE, "%.*s", (int)c_->message.len,   \
            c_->message.data);                                                 \
        assert_text(c_->value, json);                                          \
    } while (0)

#define assert_refused(code, rule, text)                                       \
    do {                                                                       \
        const struct claim *c_ = python_claim(code);                           \
        ck_assert_uint_eq(c_->kind, CLAIM_REFUSED);                            \
        assert_text(c_->message, text);                                        \
        assert_text(c_->type, rule);                                           \
    } while (0)

#define assert_raises(code, name, text)                                        \
    do {                                                                       \
        const struct claim *c_ = python_claim(code);                           \
        ck_assert_uint_eq(c_->kind, CLAIM_ERROR);                              \
        assert_text(c_->type, name);                                           \
        assert_text(c_->message, text);                                        \
    } while (0)

#endif
