/* Finding logs: see gather.h. Reads only the header of each log. */
#include "traces/log/gather.h"
#include "common/containers/grow.h"
#include "common/system/file_kind.h"
#include "traces/log/lock.h"
#include "traces/log/log_reader.h"
#include "traces/log/shared_buffer.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 4096, DEEPEST_FOLDER = 4, COMPARED_BYTES = 1 << 16 };

/* A log: its header, and the process that writes it. */
typedef struct head {
    vef_log_header header;
    vef_log_writer writer;
    vef_log_use use;
} head;

static vef_code read_head(const char *path, vef_arena *arena, head *opened, bool *cut,
                          vef_error *error) {
    const vef_field *fields = NULL;
    size_t count = 0;
    uint64_t end;
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC |
                              O_NONBLOCK); /* opening a pipe without a writer would block */
    *cut = false;
    if (file < 0 || fstat(file, &status) != 0) {
        vef_code code = vef_fail_errno(error, "opening %s", path);
        if (file >= 0)
            close(file);
        return code;
    }
    vef_code code = S_ISREG(status.st_mode)
                        ? vef_preamble_read(file, vef_log_magic, "log", path, arena, &fields,
                                            &count, &end, cut, error)
                        : vef_fail(error, VEF_INVALID, "%s: not a regular file", path);
    opened->writer = (vef_log_writer){
        .host = vef_field_text(fields, count, "host"),
        .process = vef_field_number(fields, count, "process", 0),
        .process_began = vef_field_number(fields, count, "process_began", 0),
        .locked = vef_field_number(fields, count, "locked", 1) != 0, /* or it ends in its header */
    };
    opened->use = vef_log_in_use(file, path, &opened->writer);
    close(file);
    if (code)
        return vef_fail_kind(error, path, "log", "the log of a task");
    return vef_log_header_read(fields, count, path, &opened->header, error);
}

/* ---- two logs of one task ---- */

typedef enum order { SAME, FIRST_HOLDS_MORE, SECOND_HOLDS_MORE, DIFFERENT } order;

/* Whether one file is a prefix of the other. */
static vef_code compare(const char *first, const char *second, order *result, vef_error *error) {
    struct stat a, b;
    FILE *one = fopen(first, "re"), *two = fopen(second, "re");
    vef_code code = VEF_OK;
    if (!one || !two || fstat(fileno(one), &a) != 0 || fstat(fileno(two), &b) != 0)
        code = vef_fail_errno(error, "opening %s and %s", first, second);
    *result = SAME;
    while (!code && !(a.st_dev == b.st_dev && a.st_ino == b.st_ino)) {
        static _Thread_local char left[COMPARED_BYTES], right[COMPARED_BYTES];
        size_t from_one = fread(left, 1, sizeof left, one);
        size_t from_two = fread(right, 1, sizeof right, two);
        size_t both = from_one < from_two ? from_one : from_two;
        if (ferror(one) || ferror(two))
            code = vef_fail_errno(error, "reading %s and %s", first, second);
        else if (memcmp(left, right, both) != 0)
            *result = DIFFERENT;
        else if (from_one != from_two)
            *result = from_one > from_two ? FIRST_HOLDS_MORE : SECOND_HOLDS_MORE;
        if (*result != SAME || both == 0)
            break;
    }
    if (one)
        fclose(one);
    if (two)
        fclose(two);
    return code;
}

/* ---- jobs ---- */

static vef_job *job_of(vef_gathering *gathering, const vef_log_header *header) {
    for (size_t i = 0; i < gathering->count; i++)
        if (strcmp(gathering->jobs[i].name, header->job) == 0)
            return &gathering->jobs[i];
    vef_job *job = VEF_NEW_ITEM(gathering->jobs, gathering->count, gathering->capacity);
    *job = (vef_job){.name = header->job,
                     .program = header->program,
                     .started_ns = header->started_ns,
                     .spawned = header->spawned,
                     .tasks = header->tasks,
                     .log = vef_arena_alloc(&gathering->arena, header->tasks, sizeof *job->log)};
    return job;
}

/* Whether the unwritten events of the task are beside its log: some copies lack them. */
static bool has_buffer(const char *log) {
    char path[PATH_BYTES];
    return vef_live_path(log, 0, path, sizeof path) && access(path, F_OK) == 0;
}

static vef_code settle_double(vef_gathering *gathering, vef_job *job, uint32_t task,
                              const char *path, vef_error *error) {
    order how;
    vef_code code = compare(job->log[task], path, &how, error);
    if (code)
        return code;
    if (how == DIFFERENT)
        return vef_fail(error, VEF_INVALID,
                        "%s and %s are both logs of task %" PRIu32 "%s%s, with different contents",
                        job->log[task], path, task, *job->name ? " of job " : "", job->name);
    bool second = how == SECOND_HOLDS_MORE ||
                  (how == SAME && has_buffer(path) && !has_buffer(job->log[task]));
    gathering->doubles++;
    gathering->last_double = second ? job->log[task] : path;
    if (second)
        job->log[task] = path;
    return VEF_OK;
}

/* Adds the writer of a log to the holders of its job; the arena has memory for all tasks. */
static void add_holder(vef_gathering *gathering, vef_job *job, const head *opened) {
    if (!job->holders)
        job->holders = vef_arena_alloc(&gathering->arena, job->tasks, sizeof *job->holders);
    for (uint32_t i = 0; i < job->holder_count; i++)
        if (job->holders[i].task == opened->header.task)
            return; /* via another name of its log */
    job->holders[job->holder_count++] =
        (vef_log_holder){.task = opened->header.task,
                         .uncertain = opened->use == VEF_LOG_UNKNOWN,
                         .process = opened->writer.process,
                         .host = opened->writer.host};
}

static vef_code add_log(vef_gathering *gathering, const char *given, vef_error *error) {
    head opened = {0};
    const vef_log_header *header = &opened.header;
    bool cut;
    const char *path = vef_arena_string(&gathering->arena, given);
    vef_code code = read_head(path, &gathering->arena, &opened, &cut, error);
    if (code && cut) {
        gathering->empty++;
        gathering->beginning += opened.use == VEF_LOG_IN_USE;
        return VEF_OK;
    }
    if (code)
        return code;
    vef_job *job = job_of(gathering, header);
    if (header->tasks != job->tasks)
        return vef_fail(error, VEF_INVALID,
                        "%s: of another run than the logs before it (of %" PRIu32
                        " tasks: expected %" PRIu32 ")",
                        path, header->tasks, job->tasks);
    if (opened.use != VEF_LOG_COMPLETE)
        add_holder(gathering, job, &opened);
    if (job->log[header->task])
        return settle_double(gathering, job, header->task, path, error);
    job->log[header->task] = path;
    job->found++;
    if (header->started_ns < job->started_ns)
        job->started_ns = header->started_ns;
    return VEF_OK;
}

/* ---- folders ---- */

static bool is_log_name(const char *name) {
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".vlog") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static vef_code add_folder(vef_gathering *gathering, const char *folder, int depth,
                           vef_error *error) {
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, by_name);
    if (count < 0)
        return vef_fail_errno(error, "opening the folder %s", folder);
    vef_code code = VEF_OK;
    for (int i = 0; i < count; i++) {
        char path[PATH_BYTES];
        struct stat status;
        const char *name = entries[i]->d_name;
        int length = snprintf(path, sizeof path, "%s/%s", folder, name);
        if (!code && name[0] != '.' && length < (int)sizeof path) {
            if (is_log_name(name))
                code = add_log(gathering, path, error);
            else if (depth < DEEPEST_FOLDER && lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
                code = add_folder(gathering, path, depth + 1, error);
        }
        free(entries[i]);
    }
    free(entries);
    return code;
}

static int by_start(const void *a, const void *b) {
    const vef_job *x = a, *y = b;
    if (x->spawned != y->spawned)
        return x->spawned ? 1 : -1;
    if (x->started_ns != y->started_ns)
        return x->started_ns < y->started_ns ? -1 : 1;
    return strcmp(x->name, y->name);
}

vef_code vef_gather(const char *const *places, size_t count, vef_gathering *gathering,
                    vef_error *error) {
    vef_code code = VEF_OK;
    struct stat status;
    for (size_t i = 0; i < count && !code; i++) {
        if (stat(places[i], &status) != 0)
            code = vef_fail_errno(error, "%s", places[i]);
        else if (S_ISDIR(status.st_mode))
            code = add_folder(gathering, places[i], 0, error);
        else
            code = add_log(gathering, places[i], error);
    }
    if (!code && gathering->count == 0 && gathering->empty > 0)
        code = vef_fail(error, VEF_CORRUPT, "%s: its %" PRIu32 " log%s cut before the first event",
                        places[0], gathering->empty, gathering->empty == 1 ? " is" : "s are");
    if (!code && gathering->count == 0)
        code = vef_fail(error, VEF_INVALID, "%s: no logs (task-000000.….vlog and so on)",
                        count > 0 ? places[0] : "nothing");
    if (!code)
        qsort(gathering->jobs, gathering->count, sizeof *gathering->jobs, by_start);
    return code;
}

char *vef_job_holders(const vef_job *job, char *text, size_t bytes) {
    enum { SHOWN = 8 };
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < job->holder_count && used < bytes; i++) {
        const vef_log_holder *holder = &job->holders[i];
        int length = i < SHOWN
                         ? snprintf(text + used, bytes - used,
                                    "%stask %" PRIu32 " (process %" PRId64 " on %s)", i ? ", " : "",
                                    holder->task, holder->process, holder->host)
                         : snprintf(text + used, bytes - used, " and %" PRIu32 " more",
                                    job->holder_count - i);
        used += length > 0 ? (size_t)length : 0;
        if (i == SHOWN)
            break;
    }
    return text;
}

void vef_gathering_free(vef_gathering *gathering) {
    free(gathering->jobs);
    vef_arena_release(&gathering->arena);
    *gathering = (vef_gathering){0};
}

/* Whether `name` is the value of VEF_CAPTURE_JOB: the part before the dot and the launcher's
 * suffix.
 */
static bool is_job_name(const vef_job *job, const char *name) {
    size_t length = strlen(name);
    return length > 0 && strncmp(job->name, name, length) == 0 && job->name[length] == '.';
}

vef_code vef_gathering_job(const vef_gathering *gathering, const char *name, const vef_job **job,
                           vef_error *error) {
    char list[VEF_MESSAGE_BYTES - 256] = "";
    size_t used = 0, alike = 0;
    const vef_job *like = NULL;
    *job = NULL;
    for (size_t i = 0; i < gathering->count; i++) {
        const vef_job *one = &gathering->jobs[i];
        if (name ? strcmp(one->name, name) == 0 : gathering->count == 1) {
            *job = one;
            return VEF_OK;
        }
        if (name && is_job_name(one, name)) {
            like = one;
            alike++;
        }
        int length =
            snprintf(list + used, sizeof list - used, "%s%s (%s, %" PRIu32 " of %" PRIu32 " tasks)",
                     i ? ", " : "", one->name, one->program, one->found, one->tasks);
        if (length > 0 && (size_t)length < sizeof list - used)
            used += (size_t)length;
        else
            list[used] = '\0';
    }
    if (alike == 1) {
        *job = like;
        return VEF_OK;
    }
    if (alike > 1)
        return vef_fail(error, VEF_INVALID, "%zu jobs are called '%s': expected one of %s", alike,
                        name, list);
    if (name)
        return vef_fail(error, VEF_INVALID, "no log is of job '%s'; there %s %s", name,
                        gathering->count == 1 ? "is" : "are", list);
    return vef_fail(error, VEF_INVALID, "logs of %zu jobs: %s", gathering->count, list);
}
