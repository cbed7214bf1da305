"""Wall clocks that are set: no deadline moves."""

import calendar
import glob
import os
import re
import subprocess
import time

from harness import LONG, ROOT, claim_alone, expect, expect_between
from phases import (SETTINGS, Tokened, expect_outcomes, expect_well,
                    in_every_phase)

STEP_C = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>

static long
step(void)
{
    FILE *f = fopen(getenv("STEP_FILE"), "r");
    long seconds = 0;

    if (f != NULL) {
        (void)!fscanf(f, "%ld", &seconds);
        fclose(f);
    }
    return seconds;
}

int
clock_gettime(clockid_t id, struct timespec *ts)
{
    static int (*real)(clockid_t, struct timespec *);
    int r;

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "clock_gettime");
    r = real(id, ts);
    if (r == 0 && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
        ts->tv_sec += step();
    return r;
}

time_t
time(time_t *ret)
{
    struct timespec ts;

    clock_gettime(CLOCK_REALTIME, &ts);
    if (ret != NULL)
        *ret = ts.tv_sec;
    return ts.tv_sec;
}

int
gettimeofday(struct timeval *restrict tv, void *restrict zone)
{
    struct timespec ts;

    (void)zone;
    clock_gettime(CLOCK_REALTIME, &ts);
    tv->tv_sec = ts.tv_sec;
    tv->tv_usec = ts.tv_nsec / 1000;
    return 0;
}
"""


class Stepped(Tokened):
    """The app sees a wall clock that the test sets.  (The sandbox has no
    environment to be told so, and asks for no wall clock but for its log.)"""

    def prepare(self):
        command, environment = super().prepare()
        self.step_file = os.path.join(self.home, "step")
        self.step(0)
        library = os.path.join(self.home, "step.so")
        subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-x", "c", "-",
                        "-o", library, "-ldl"], input=STEP_C.encode(),
                       check=True)
        path = os.path.join(self.programs, "glovebox")
        os.rename(path, path + ".stepped")
        self.write(path, f'#!/bin/sh\nexport LD_PRELOAD={library} '
                         f'STEP_FILE={self.step_file}\n'
                         f'exec "{path}.stepped" "$@"\n')
        os.chmod(path, 0o755)
        return command, environment

    def step(self, seconds):
        self.write(self.step_file, str(seconds))


@claim_alone
def clock_that_is_set_moves_no_deadline():
    day = 86400
    with Stepped(OWN_PROGRAMS="yes", **SETTINGS) as s:
        def now():
            return calendar.timegm(time.strptime(
                s.get("/health").json["timestamp"][:19],
                "%Y-%m-%dT%H:%M:%S"))
        for seconds in (day, -2 * day, 0) if LONG else (-2 * day,):
            expect_outcomes(in_every_phase(s, lambda s, n=seconds: s.step(n)),
                            {"rest": "answered"})
            expect_between("the clock that the app sees",
                           now() - time.time(), seconds - 60, seconds + 60)
            answer = s.execute("while True: pass", timeout_s=0.4)
            expect("status", answer.json["status"], "timeout")
            expect_between("seconds", answer.seconds, 0.4, 5)
            expect_well(s)


@claim_alone
def only_the_monotonic_clock_decides_deadlines():
    """Who asks for the wall clock, and what for; anybody new is looked at."""
    allowed = {
        "sandbox/base/clock.c",       # the time in a line
        "fcgi-app/handle_metrics.c",  # when the process was started
        "fcgi-app/auth.c",            # a token's last day
        "fcgi-app/ctl/token.c",       # likewise, for the operator
        "fcgi-app/ctl/check.c",       # what is old on this machine
    }
    found = set()
    for room in ("fcgi-app", "sandbox"):
        for path in glob.glob(os.path.join(ROOT, room, "**", "*.[ch]"),
                              recursive=True):
            with open(path) as f:
                if re.search(r"\bCLOCK_REALTIME\b|\btime\((NULL|&)|"
                             r"\bgettimeofday\(", f.read()):
                    found.add(os.path.relpath(path, ROOT))
    expect("who asks for the wall clock", found, allowed)
