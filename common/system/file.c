/* Atomic output, whole-file input, folders. See file.h. */
#include "common/system/file.h"
#include "common/memory.h"
#include "common/system/input.h"
#include "common/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 1000, READ_STEP_BYTES = 1 << 16, PROC_ENTRY_BYTES = 32 };

static void forget(vef_output *output) {
    free(output->path);
    free(output->temporary);
    *output = (vef_output){0};
}

/* The longest name that the folder of `path` allows; `folder_bytes` of `path` are the folder's. */
static size_t longest_name(const char *path, size_t folder_bytes) {
    char *folder = folder_bytes ? vef_strndup(path, folder_bytes) : NULL;
    const long limit = pathconf(folder ? folder : ".", _PC_NAME_MAX);
    free(folder);
    const size_t longest = limit > 0 ? (size_t)limit : NAME_MAX;
    const size_t left = folder_bytes < PATH_MAX - 1 ? PATH_MAX - 1 - folder_bytes : 0;
    return longest < left ? longest : left;
}

char *vef_file_beside(const char *path, const char *suffix) {
    const char *slash = strrchr(path, '/');
    const size_t folder_bytes = slash ? (size_t)(slash - path) + 1 : 0;
    const size_t suffix_bytes = strlen(suffix), longest = longest_name(path, folder_bytes);
    size_t bytes = strlen(path), most = longest > suffix_bytes ? longest - suffix_bytes : 0;
    if (bytes - folder_bytes > most) {
        bytes = folder_bytes + most;
        while (bytes > folder_bytes && vef_utf8_continues(path[bytes]))
            bytes--; /* not within a character */
    }
    char *beside = vef_malloc(bytes + suffix_bytes + 1);
    memcpy(beside, path, bytes);
    memcpy(beside + bytes, suffix, suffix_bytes + 1);
    return beside;
}

static const char *proc_entry(int file, char *entry) {
    snprintf(entry, PROC_ENTRY_BYTES, "/proc/self/fd/%d", file);
    return entry;
}

/* Links a file made by open_unnamed to a name; fails with EEXIST where the name is taken. */
static int link_unnamed(int file, const char *name) {
    char entry[PROC_ENTRY_BYTES];
    return linkat(AT_FDCWD, proc_entry(file, entry), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
}

/* Takes a free name beside the target: a new file, or (`unnamed` >= 0) a link to that file. Returns
 * a descriptor of the file, or -1. mkstemp is unsuitable: its files are private, whereas these
 * follow the umask. */
static int take_name_beside(vef_output *output, int unnamed, mode_t mode) {
    for (int i = 0; i < NAMES_TRIED; i++) {
        char suffix[40];
        snprintf(suffix, sizeof suffix, ".%ld-%d.part", (long)getpid(), i);
        char *name = vef_file_beside(output->path, suffix);
        const int file = unnamed < 0 ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
                                     : (link_unnamed(unnamed, name) == 0 ? unnamed : -1);
        if (file >= 0) {
            output->temporary = name;
            return file;
        }
        free(name);
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

/* Opens the folder of the entry `path`, or with O_TMPFILE a file in it. */
static int open_folder(const char *path, int flags, mode_t mode) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? vef_strndup(path, (size_t)(slash - path) + 1) : vef_strdup(".");
    const int file = open(folder, flags | O_CLOEXEC, mode);
    free(folder);
    return file;
}

int vef_file_sync(int file) {
    int result;
    do
        result = fsync(file);
    while (result != 0 && errno == EINTR);
    return result != 0 && (errno == EINVAL || errno == ENOTSUP) ? 0 : result;
}

int vef_file_sync_folder(const char *path) {
    const int folder = open_folder(path, O_RDONLY | O_DIRECTORY, 0);
    if (folder < 0)
        return errno == EACCES ? 0 : -1;
    const int result = vef_file_sync(folder), cause = errno;
    close(folder);
    errno = cause;
    return result;
}

/* An unnamed file in the folder of the target; -1 where the file system does not support it, or
 * where /proc, which link_unnamed needs, is missing. */
static int open_unnamed(const char *path, mode_t mode) {
    const int file = open_folder(path, O_TMPFILE | O_RDWR, mode);
    char entry[PROC_ENTRY_BYTES];
    if (file < 0 || access(proc_entry(file, entry), F_OK) == 0)
        return file;
    close(file);
    return -1;
}

/* Gives a new file the owner, group and mode of the one that it replaces. Only a privileged process
 * may give a file away; without the group, nothing is granted to members of another one. */
static int keep_mode(int file, const struct stat *former) {
    struct stat made;
    const mode_t mode = former->st_mode & 0777;
    if (fstat(file, &made) != 0)
        return -1;
    const bool kept = (made.st_uid == former->st_uid && made.st_gid == former->st_gid) ||
                      fchown(file, former->st_uid, former->st_gid) == 0 ||
                      made.st_gid == former->st_gid || fchown(file, (uid_t)-1, former->st_gid) == 0;
    return fchmod(file, kept ? mode : mode & ~(mode_t)S_IRWXG);
}

vef_code vef_output_open(vef_output *output, const char *path, vef_error *error) {
    *output = (vef_output){0};
    struct stat there;
    const bool standard = strcmp(path, "-") == 0;
    const bool exists = !standard && stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode))
        return vef_fail(error, VEF_IO, "cannot write '%s': it is a folder", path);
    output->path = exists ? realpath(path, NULL) : vef_strdup(path);
    if (!output->path)
        return vef_fail_errno(error, "cannot write '%s'", path);
    /* A device or pipe cannot be replaced by a file of that name. */
    output->in_place = standard || (exists && !S_ISREG(there.st_mode));
    const mode_t mode = exists ? 0600 : 0666;
    int fd = standard           ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
             : output->in_place ? open(output->path, O_WRONLY | O_CLOEXEC)
                                : open_unnamed(output->path, mode);
    if (fd < 0 && !output->in_place)
        fd = take_name_beside(output, -1, mode);
    if (fd >= 0 && (!exists || output->in_place || keep_mode(fd, &there) == 0))
        output->stream = fdopen(fd, output->in_place ? "wb" : "w+b");
    if (output->stream)
        return VEF_OK;
    vef_code code = vef_fail_errno(error, "cannot write '%s'", path);
    if (fd >= 0) {
        close(fd);
        if (output->temporary)
            unlink(output->temporary);
    }
    forget(output);
    return code;
}

vef_code vef_output_write(vef_output *output, const void *data, size_t bytes, vef_error *error) {
    if (fwrite(data, 1, bytes, output->stream) == bytes)
        return VEF_OK;
    if (output->cause == 0)
        output->cause = errno;
    return vef_fail_errno(error, "cannot write '%s'", output->path);
}

/* A stream records that it failed, but not why. One more write, to a file that is removed anyway,
 * may yield the errno; 0: not known. */
static int ask_cause(const vef_output *output) {
    static const char zeros[4096];
    if (!output->in_place && write(fileno(output->stream), zeros, sizeof zeros) < 0)
        return errno;
    return 0;
}

/* Renames a closed temporary file to its final name; fails with EEXIST if that exists and must be
 * kept. Some file systems do not support RENAME_NOREPLACE, and some no hard links. */
static int rename_temporary(const vef_output *output) {
    if (!output->keep_existing)
        return rename(output->temporary, output->path);
    if (renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->path, RENAME_NOREPLACE) == 0)
        return 0;
    if (errno != EINVAL && errno != ENOSYS)
        return -1;
    if (link(output->temporary, output->path) == 0)
        return unlink(output->temporary);
    if (errno != EPERM && errno != EOPNOTSUPP && errno != EMLINK)
        return -1;
    struct stat there;
    if (lstat(output->path, &there) == 0) {
        errno = EEXIST;
        return -1;
    }
    return rename(output->temporary, output->path);
}

/* Gives a closed file its final name, like rename_temporary. `unnamed`: descriptor of an unnamed
 * file, or -1. Atomic if the final name is free; otherwise a kill between the two steps leaves the
 * finished file under a second name. */
static int name_it(vef_output *output, int unnamed) {
    if (unnamed >= 0) {
        if (link_unnamed(unnamed, output->path) == 0)
            return 0;
        if (errno != EEXIST || output->keep_existing)
            return -1;
        if (take_name_beside(output, unnamed, 0) < 0)
            return -1;
    }
    return rename_temporary(output);
}

/* Flushes, synchronises, closes and names the output. 0, the errno of the first failure, or -1: it
 * is not known. */
static int finish(vef_output *output) {
    int cause = 0, unnamed = -1;
    if (ferror(output->stream)) {
        cause = output->cause ? output->cause : ask_cause(output);
        cause = cause ? cause : -1;
    } else if (fflush(output->stream) != 0 || vef_file_sync(fileno(output->stream)) != 0)
        cause = errno;
    /* An unnamed file vanishes with its last descriptor, and close can report a failed write: a
     * second descriptor therefore outlives the stream until the file has its name. */
    else if (!output->in_place && !output->temporary) {
        unnamed = fcntl(fileno(output->stream), F_DUPFD_CLOEXEC, 0);
        cause = unnamed < 0 ? errno : 0;
    }
    if (fclose(output->stream) != 0 && !cause)
        cause = errno;
    output->stream = NULL;
    if (!cause && !output->in_place &&
        (name_it(output, unnamed) != 0 ||
         (!output->more_follow && vef_file_sync_folder(output->path) != 0)))
        cause = errno;
    if (unnamed >= 0)
        close(unnamed);
    return cause;
}

vef_code vef_output_commit(vef_output *output, vef_error *error) {
    const int cause = finish(output);
    vef_code code = VEF_OK;
    errno = cause;
    if (cause > 0)
        code = vef_fail_errno(error, "cannot write '%s'", output->path);
    else if (cause)
        code = vef_fail(error, VEF_IO, "cannot write all of '%s'; is the disk full?", output->path);
    if (cause && output->temporary)
        unlink(output->temporary);
    forget(output);
    return code;
}

void vef_output_discard(vef_output *output) {
    if (output->stream)
        fclose(output->stream);
    if (output->temporary)
        unlink(output->temporary);
    forget(output);
}

/* Reads to the end of the file instead of the size reported by stat, which pipes do not have. */
static vef_code read_all(FILE *in, const char *path, size_t limit, char **text, size_t *bytes,
                         vef_error *error) {
    size_t room = READ_STEP_BYTES, used = 0;
    char *buffer = vef_malloc(room + 1);
    for (;;) {
        used += fread(buffer + used, 1, room - used, in);
        if (used < room || used > limit)
            break;
        room *= 2;
        buffer = vef_realloc(buffer, room + 1);
    }
    vef_code code = VEF_OK;
    if (ferror(in))
        code = vef_fail_errno(error, "cannot read '%s'", path);
    else if (used > limit)
        code = vef_fail(error, VEF_INVALID, "'%s' is longer than the %zu bytes accepted here", path,
                        limit);
    if (code) {
        free(buffer);
        return code;
    }
    buffer[used] = '\0';
    *text = buffer;
    if (bytes)
        *bytes = used;
    return VEF_OK;
}

vef_code vef_file_read(const char *path, size_t limit_bytes, char **text, size_t *bytes,
                       vef_error *error) {
    FILE *in = vef_input_stream(path);
    if (!in)
        return vef_fail_errno(error, "cannot open '%s'", path);
    vef_code code = read_all(in, path, limit_bytes, text, bytes, error);
    fclose(in);
    return code;
}
