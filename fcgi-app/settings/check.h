/*
 * check - is this text a good value of its kind?
 *
 * For the rows of the settings table whose value is text with a form of its
 * own.  A check may rewrite the value in place to the one spelling that is
 * kept (spaces around commas go); it never makes it longer.  Returns NULL
 * when the value is good, or a phrase that says what it must be.
 */
#ifndef GLOVEBOX_SETTINGS_CHECK_H
#define GLOVEBOX_SETTINGS_CHECK_H

#include <stdbool.h>
#include <stdint.h>

typedef const char *settings_check_fn(char *value);

settings_check_fn check_name;
settings_check_fn check_token;
settings_check_fn check_path; /* absolute, or empty */
settings_check_fn check_socket_path;
settings_check_fn check_audit_log;
settings_check_fn check_imports;
settings_check_fn check_origins;
settings_check_fn check_addresses;
settings_check_fn check_listen;
settings_check_fn check_server_names;
settings_check_fn check_fastcgi_address; /* in numbers, or empty */
settings_check_fn check_upstreams;

/* Is a token too weak to guard a production service?  A phrase, or NULL. */
const char *check_token_strength(const char *token);

/* A comma list of profile names as bits; NULL or a phrase. */
const char *check_profiles(char *value, uint32_t *ret_bits);

/*
 * A user's or group's name or number; *ret_gid is the user's own group.
 * Returns false when there is none of that name, or the user is root.
 */
bool check_user(const char *text, uint32_t *ret_uid, uint32_t *ret_gid);
bool check_group(const char *text, uint32_t *ret_gid);

#endif
