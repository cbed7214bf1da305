/* whole_file - a small regular file, read at once */
#include "fcgi-app/whole_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "sandbox/base/cleanup.h"
#include "sandbox/base/fdio.h"

int
whole_file_read(const char *path, struct buf *b)
{
    AUTO_FD fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    char *room;
    int err;

    if (fd < 0 || fstat(fd, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    if (st.st_size < 0 || (uint64_t)st.st_size > b->max - b->len)
        return -EFBIG;
    room = buf_room(b, (size_t)st.st_size);
    if (room == NULL)
        return -ENOMEM;
    err = fd_pread_all(fd, room, (size_t)st.st_size, 0);
    if (err == 0)
        buf_grew(b, (size_t)st.st_size);
    return err;
}
