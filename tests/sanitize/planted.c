/*
 * planted - a small program with the fault that is named, and only that
 *
 * Built and run as the programs that are watched, so that every step shows
 * first that it reports what it is there to find (tests/sanitize/run).  It
 * ends with status 0 as far as it is let: the report must be found, not the
 * status.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Neither the compiler nor what it knows of malloc() sees through these. */
static char *volatile block;
static volatile int number;

static int shared;

static void
planted_nothing(void)
{
    block = calloc(1, 8);
    if (block != NULL)
        block[7] = 1;
    free(block);
    number = INT_MAX - 1;
    number = number + 1;
}

static void
planted_overflow(void)
{
    block = calloc(1, 8);
    number = 8;
    if (block != NULL)
        number = block[number];
    free(block);
}

static void
planted_signed(void)
{
    number = INT_MAX;
    number = number + 1;
}

static void
planted_leak(void)
{
    block = calloc(1, 8);
    block = NULL;
}

static void *
planted_add(void *unused)
{
    (void)unused;
    shared++;
    return NULL;
}

static void
planted_race(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, planted_add, NULL) != 0)
            abort();
    for (int i = 0; i < 2; i++)
        (void)pthread_join(threads[i], NULL);
}

static const struct {
    const char *name;
    void (*plant)(void);
} faults[] = {
    { "nothing", planted_nothing },
    { "overflow", planted_overflow },
    { "signed", planted_signed },
    { "leak", planted_leak },
    { "race", planted_race },
};

int
main(int argc, char *argv[])
{
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        if (argc == 2 && strcmp(argv[1], faults[i].name) == 0) {
            faults[i].plant();
            return 0;
        }
    }
    (void)fprintf(stderr, "usage: planted FAULT\n");
    return 2;
}
