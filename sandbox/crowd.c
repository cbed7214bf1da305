/* crowd - long programs make room for short ones */
#include "sandbox/crowd.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The longest slice that the kernel grants. */
#define CROWD_SLICE_NS 100000000

/* One processor of eight, but one of two as well. */
unsigned
crowd_left_of(unsigned n)
{
    if (n < 2)
        return 0;
    return n < 16 ? 1 : n / 8;
}

void
crowd_init(struct crowd *c)
{
    unsigned left;

    *c = (struct crowd){ .processors = 1 };
    if (sched_getaffinity(0, sizeof(c->all), &c->all) < 0)
        return;
    c->processors = (unsigned)CPU_COUNT(&c->all);
    c->rest = c->all;
    left = crowd_left_of(c->processors);
    for (size_t i = 0; i < CPU_SETSIZE && left > 0; i++)
        if (CPU_ISSET(i, &c->rest)) {
            CPU_CLR(i, &c->rest);
            left--;
        }
}

/* Weights of the kernel: 1024 at 0, then 335, 110, 36 and 15. */
int
crowd_nice_of(unsigned count)
{
    static const struct {
        unsigned count;
        int nice;
    } rows[] = { { 3, 5 }, { 9, 10 }, { 24, 15 } };

    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (count <= rows[i].count)
            return rows[i].nice;
    return 19;
}

bool
crowd_is_one_of_many(const struct crowd *c, unsigned running)
{
    return running > CROWD_PER_PROCESSOR * c->processors;
}

uint64_t
crowd_until_us(const struct crowd *c)
{
    return c->short_us + CROWD_RECENT_US;
}

void
crowd_count(struct crowd *c, unsigned giving, unsigned is_long, uint64_t now_us)
{
    bool is_recent = c->short_us != 0 && now_us < crowd_until_us(c);

    c->nice = crowd_nice_of(giving);
    c->is_apart = c->processors > 1 && is_recent && is_long > c->processors &&
                  giving > CROWD_PER_PROCESSOR * c->processors;
}

/* As in <linux/sched/types.h>, which cannot be had beside <sched.h>. */
struct crowd_attr {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
};

/* Both at once; older kernels take the priority and leave the slice. */
static void
crowd_lower(pid_t pid, int nice)
{
    struct crowd_attr attr = { .size = sizeof(attr),
        .policy = SCHED_OTHER,
        .nice = nice,
        .runtime = CROWD_SLICE_NS };

    if (syscall(SYS_sched_setattr, pid, &attr, 0) < 0)
        (void)setpriority(PRIO_PROCESS, (id_t)pid, nice);
}

/* Either call fails only for one that has just died, or where a host does not
 * let us: then nobody gives way, and nothing else is lost. */
void
crowd_place(const struct crowd *c, struct watch *w, pid_t pid)
{
    if (w->nice < c->nice) {
        w->nice = c->nice;
        crowd_lower(pid, c->nice);
    }
    if (w->is_apart != c->is_apart) {
        w->is_apart = c->is_apart;
        (void)sched_setaffinity(
            pid, sizeof(c->all), c->is_apart ? &c->rest : &c->all);
    }
}

void
crowd_saw_end(struct crowd *c, const struct watch *w, uint64_t now_us)
{
    if (!w->gives_way)
        c->short_us = now_us;
}
