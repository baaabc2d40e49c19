/* Snapshots of running tasks: see snapshot.h.
 *
 * The events of a task are in its log, up to the last whole block, and in one buffer per thread. A
 * snapshot must show all of them at one moment: otherwise it could contain an event of one thread
 * and lack an earlier one of another. So the length of the log and the records of all buffers are
 * read until two consecutive readings agree (a double collect: Afek et al., Atomic Snapshots of
 * Shared Memory, JACM 40(4), 1993, section 3). After that the log and the buffers only grow, until
 * one buffer begins its next piece; then the copy is repeated. */
#include "traces/log/snapshot.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "traces/log/shared_buffer.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, MOST_TRIES = 10000, COPY_BYTES = 1 << 20 };

typedef struct buffers {
    vef_live_view **view;
    uint32_t count;
    size_t capacity;
} buffers;

static void unwatch(buffers *live) {
    for (uint32_t i = 0; i < live->count; i++)
        vef_live_unwatch(live->view[i]);
    free(live->view);
    *live = (buffers){0};
}

static bool has_buffer(const char *log, uint32_t thread) {
    char path[PATH_BYTES];
    return vef_live_path(log, thread, path, sizeof path) && access(path, F_OK) == 0;
}

/* Observes the buffers of a log; false if one disappeared: the task has just closed its log. */
static bool watch(const char *log, buffers *live) {
    char path[PATH_BYTES];
    while (vef_live_path(log, live->count, path, sizeof path) && access(path, F_OK) == 0) {
        vef_grow(&live->view, &live->capacity, live->count + 1, sizeof *live->view);
        live->view[live->count] = vef_live_watch(path);
        if (!live->view[live->count])
            return false;
        live->count++;
    }
    return true;
}

/* The length of the log, if `file` is still the file of that name. */
static bool length_of(const char *log, int file, off_t *length) {
    struct stat opened, named;
    if (fstat(file, &opened) != 0 || stat(log, &named) != 0 || opened.st_ino != named.st_ino ||
        opened.st_dev != named.st_dev)
        return false;
    *length = opened.st_size;
    return true;
}

/* One moment: false if the task changed something meanwhile. */
static bool observe(const char *log, int file, const buffers *live, off_t *length) {
    off_t again;
    bool good = length_of(log, file, length);
    for (uint32_t i = 0; i < live->count && good; i++)
        good = vef_live_observe(live->view[i]);
    for (uint32_t i = 0; i < live->count && good; i++)
        good = vef_live_unchanged(live->view[i]);
    return good && length_of(log, file, &again) && again == *length &&
           !has_buffer(log, live->count);
}

static vef_code copy_bytes(int from, off_t length, int to, const char *path, vef_error *error) {
    uint8_t *block = vef_malloc(COPY_BYTES);
    vef_code code = VEF_OK;
    for (off_t offset = 0; offset < length && !code;) {
        size_t wanted = length - offset < COPY_BYTES ? (size_t)(length - offset) : COPY_BYTES;
        ssize_t got = pread(from, block, wanted, offset);
        if (got <= 0 || pwrite(to, block, (size_t)got, offset) != got)
            code = vef_fail_errno(error, "copying to %s", path);
        offset += got;
    }
    free(block);
    return code;
}

static int create(const char *path) {
    return open(path, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
}

/* Copies the observed buffers; false if one has begun its next piece. */
static bool copy_buffers(const buffers *live, const char *copy) {
    char path[PATH_BYTES];
    bool good = true;
    for (uint32_t i = 0; i < live->count && good; i++) {
        int file = vef_live_path(copy, i, path, sizeof path) ? create(path) : -1;
        good = file >= 0 && vef_live_copy(live->view[i], file);
        if (file >= 0)
            close(file);
    }
    return good;
}

/* Copies one log, with its buffers if `near`. */
static vef_code copy_log(const char *log, const char *copy, bool near, vef_error *error) {
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        buffers live = {0};
        off_t length = 0;
        int from = open(log, O_RDONLY | O_CLOEXEC), to = create(copy);
        vef_code code = VEF_OK;
        if (from < 0 || to < 0)
            code = vef_fail_errno(error, "copying %s to %s", log, copy);
        const bool seen = !code && (!near || watch(log, &live)) &&
                          observe(log, from, &live, &length) && copy_buffers(&live, copy);
        if (seen)
            code = copy_bytes(from, length, to, copy, error);
        unwatch(&live);
        if (from >= 0)
            close(from);
        if (to >= 0)
            close(to);
        if (code || seen)
            return code;
        nanosleep(&(struct timespec){0, 10000L * (tries % 100)}, NULL);
    }
    return vef_fail(error, VEF_IO, "%s: changes faster than it can be copied", log);
}

vef_code vef_job_snapshot(vef_gathering *gathering, const vef_job *job, const char *folder,
                          bool (*stop)(void *context), void *context, vef_error *error) {
    char host[256] = "", path[PATH_BYTES];
    vef_job *copied = &gathering->jobs[job - gathering->jobs];
    gethostname(host, sizeof host - 1);
    vef_code code = VEF_OK;
    for (uint32_t h = 0; h < copied->holder_count && !code; h++) {
        const vef_log_holder *holder = &copied->holders[h];
        snprintf(path, sizeof path, "%s/task-%06" PRIu32 ".vlog", folder, holder->task);
        if (stop && stop(context))
            return vef_fail(error, VEF_STOPPED, "interrupted");
        code = copy_log(copied->log[holder->task], path, strcmp(holder->host, host) == 0, error);
        if (!code)
            copied->log[holder->task] = vef_arena_string(&gathering->arena, path);
    }
    if (!code)
        copied->holder_count = 0;
    return code;
}

void vef_logs_remove(const char *folder) {
    DIR *directory = opendir(folder);
    if (!directory)
        return;
    for (struct dirent *entry; (entry = readdir(directory));)
        if (strncmp(entry->d_name, "task-", 5) == 0 || strncmp(entry->d_name, "lost-", 5) == 0 ||
            strcmp(entry->d_name, "closed") == 0)
            unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
    rmdir(folder);
}
