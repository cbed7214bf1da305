/*
 * The functions of both programs, room by room.  Prints TAP.
 *
 * A new tests/unit/test_<file>.c needs two lines here: its suite and its row.
 * `make lint` says so when one is missing.
 */
#include <check.h>
#include <stdlib.h>

Suite *suite_buf(void);
Suite *suite_clock(void);
Suite *suite_fault(void);
Suite *suite_fdio(void);
Suite *suite_log(void);
Suite *suite_frame(void);
Suite *suite_setup(void);
Suite *suite_order(void);
Suite *suite_claim(void);
Suite *suite_outcome(void);
Suite *suite_progress(void);
Suite *suite_status(void);
Suite *suite_hello(void);
Suite *suite_slate(void);
Suite *suite_profile(void);
Suite *suite_calls(void);
Suite *suite_steps(void);
Suite *suite_large(void);
Suite *suite_crowd(void);
Suite *suite_watch(void);
Suite *suite_lane(void);
Suite *suite_interp(void);
Suite *suite_nursery(void);
Suite *suite_validate(void);
Suite *suite_value(void);
Suite *suite_context(void);
Suite *suite_capture(void);
Suite *suite_admit(void);
Suite *suite_audit(void);
Suite *suite_auth(void);
Suite *suite_check(void);
Suite *suite_bridge(void);
Suite *suite_endpoint(void);
Suite *suite_http(void);
Suite *suite_jsonrpc(void);
Suite *suite_mcp(void);
Suite *suite_message(void);
Suite *suite_reply(void);
Suite *suite_listener(void);
Suite *suite_metrics(void);
Suite *suite_notify(void);
Suite *suite_openapi(void);
Suite *suite_order_json(void);
Suite *suite_outcome_json(void);
Suite *suite_reader(void);
Suite *suite_rate(void);
Suite *suite_rfc3339(void);
Suite *suite_route(void);
Suite *suite_scan(void);
Suite *suite_serve(void);
Suite *suite_settings(void);
Suite *suite_sha256(void);
Suite *suite_sink(void);
Suite *suite_spawner(void);
Suite *suite_takeover(void);
Suite *suite_token_file(void);
Suite *suite_tokens(void);
Suite *suite_utf8(void);
Suite *suite_verify(void);
Suite *suite_warden_link(void);
Suite *suite_writer(void);

/* From the bottom up: what fails first is what the rest stands on. */
static Suite *(*const suites[])(void) = {
    /* sandbox/base */
    suite_buf,
    suite_clock,
    suite_fault,
    suite_fdio,
    suite_log,

    /* sandbox/wire */
    suite_frame,
    suite_setup,
    suite_order,
    suite_claim,
    suite_outcome,
    suite_progress,
    suite_status,
    suite_hello,
    suite_slate,
    suite_profile,

    /* sandbox, sandbox/confine */
    suite_calls,
    suite_steps,
    suite_large,
    suite_crowd,
    suite_watch,
    suite_lane,

    /* sandbox/python */
    suite_interp,
    suite_nursery,
    suite_validate,
    suite_value,
    suite_context,
    suite_capture,

    /* fcgi-app */
    suite_admit,
    suite_audit,
    suite_auth,
    suite_check,
    suite_http,
    suite_jsonrpc,
    suite_mcp,
    suite_listener,
    suite_metrics,
    suite_notify,
    suite_openapi,
    suite_order_json,
    suite_outcome_json,
    suite_reader,
    suite_rate,
    suite_rfc3339,
    suite_route,
    suite_scan,
    suite_serve,
    suite_settings,
    suite_sha256,
    suite_sink,
    suite_spawner,
    suite_takeover,
    suite_token_file,
    suite_tokens,
    suite_utf8,
    suite_verify,
    suite_warden_link,
    suite_writer,

    /* fcgi-app/bridge */
    suite_message,
    suite_endpoint,
    suite_reply,
    suite_bridge,
};

int
main(void)
{
    SRunner *r = srunner_create(NULL);
    int failed;

    for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
        srunner_add_suite(r, suites[i]());
    srunner_set_tap(r, "-");
    srunner_run_all(r, CK_SILENT);
    failed = srunner_ntests_failed(r);
    srunner_free(r);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
