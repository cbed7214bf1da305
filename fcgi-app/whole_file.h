/*
 * whole_file - a small regular file, read at once
 */
#ifndef GLOVEBOX_WHOLE_FILE_H
#define GLOVEBOX_WHOLE_FILE_H

#include "sandbox/base/buf.h"

/*
 * Add all bytes of the file to `b`, whose maximum bounds it.  Returns 0, or
 * -errno: -EFBIG when it is too large, -EINVAL when it is no regular file (a
 * pipe would make us wait).  Symbolic links are followed, as mounted secrets
 * often are some.
 */
int whole_file_read(const char *path, struct buf *b);

#endif
