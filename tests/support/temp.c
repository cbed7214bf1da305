/* temp - where a test may make its files */
#include "tests/support/temp.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

void
temp_template(char path[TEMP_MAX])
{
    const char *where = getenv("TMPDIR");

    (void)snprintf(path, TEMP_MAX, "%s/glovebox-XXXXXX",
        where != NULL && where[0] != '\0' ? where : "/tmp");
}

int
temp_file(char path[TEMP_MAX])
{
    temp_template(path);
    return mkostemp(path, O_CLOEXEC);
}
