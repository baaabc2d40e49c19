/* Files of a library in another program: see descriptor.h. */
#include "common/system/descriptor.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Not higher: the kernel copies the table of descriptors up to the highest one in each fork. */
static int move_up(int file) {
    enum { HIGHEST = 1024, RESERVED = 64, FIRST = 3 };
    struct rlimit limit;
    int end = HIGHEST;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < HIGHEST)
        end = (int)limit.rlim_cur;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, end > 2 * RESERVED ? end - RESERVED : end / 2);
    if (moved < 0 && file < FIRST)
        moved = fcntl(file, F_DUPFD_CLOEXEC, FIRST);
    if (moved < 0 && file >= FIRST)
        return file;
    VEF_KEEP_ERRNO;
    close(file);
    return moved;
}

int vef_open_high(const char *path, int flags) {
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    struct stat status;
    int file;
    do /* O_NONBLOCK: a pipe would block */
        file = open(path, flags | O_CLOEXEC | (writes ? O_NOFOLLOW | O_NONBLOCK : 0), 0666);
    while (file < 0 && errno == EINTR);
    if (file >= 0 && writes &&
        (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink > 1)) {
        close(file);
        errno = EMLINK;
        return -1;
    }
    return file < 0 ? file : move_up(file);
}

const char *vef_folder_refusal(const char *folder) {
    VEF_KEEP_ERRNO;
    struct stat entry, status;
    if (*folder == '\0')
        return "is empty";
    if (lstat(folder, &entry) != 0 || stat(folder, &status) != 0)
        return NULL;
    if (entry.st_uid != 0 && entry.st_uid != status.st_uid)
        return "is a symbolic link of another user than its folder";
    if ((status.st_mode & (S_IWOTH | S_ISVTX)) == S_IWOTH)
        return "is a folder that other users may write";
    return NULL;
}

size_t vef_read_text(const char *path, char *text, size_t bytes) {
    VEF_KEEP_ERRNO;
    size_t length = 0;
    int file = vef_open_high(path, O_RDONLY);
    for (ssize_t got = 1; file >= 0 && got > 0 && length < bytes - 1; length += (size_t)got) {
        got = read(file, text + length, bytes - 1 - length);
        if (got < 0)
            got = 0;
    }
    if (file >= 0)
        close(file);
    text[length] = '\0';
    return length;
}

bool vef_size_is_allowed(uint64_t bytes) {
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || bytes <= limit.rlim_cur;
}
