/*
 * banned - calls that have no place here
 *
 * Included by the compiler before every file (Makefile: -include).  Each name
 * has a bounded or checked counterpart: buf_addf() for the printf and strcat
 * families, parse_u64() for ato*(), posix_spawn() for system() and popen().
 * glibc headers declare these names, so they are poisoned only after the
 * headers that do have been read once.
 */
#ifndef GLOVEBOX_BANNED_H
#define GLOVEBOX_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#pragma GCC poison strcpy strcat strncpy strncat sprintf vsprintf gets
#pragma GCC poison strtok strtok_r atoi atol atoll atof
#pragma GCC poison system popen tmpnam tempnam mktemp
#pragma GCC poison asctime ctime gmtime localtime

#endif
