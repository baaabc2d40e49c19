/* Recording which files are read. See input.h. A record is a sequence of states and paths, each
 * appended by one write(2), so that those of several processes and threads do not mix. */
#include "common/system/input.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct entry {
    vef_input_state state;
    char path[PATH_MAX];
} entry;

/* The descriptor of the record; -1: none. Only a memfd has seals. */
static int find_record(void) {
    const char *text = getenv(VEF_INPUTS_VARIABLE);
    char *end = NULL;
    const long number = text ? strtol(text, &end, 10) : -1;
    if (number < 0 || number > INT_MAX || *end || fcntl((int)number, F_GET_SEALS) < 0)
        return -1;
    return (int)number;
}

/* False: neither a regular file nor absent. */
static bool take_state(int result, const struct stat *status, vef_input_state *state) {
    *state = (vef_input_state){0};
    if (result != 0)
        return true;
    state->present = true;
    state->inode = (uint64_t)status->st_ino;
    state->bytes = (uint64_t)status->st_size;
    state->modified_ns = status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
    state->changed_ns = status->st_ctim.tv_sec * INT64_C(1000000000) + status->st_ctim.tv_nsec;
    return S_ISREG(status->st_mode);
}

bool vef_input_look(const char *path, vef_input_state *state) {
    struct stat status;
    return take_state(stat(path, &status), &status, state);
}

static void put(int record, const char *path, const vef_input_state *state) {
    entry next = {.state = *state};
    const size_t length = strlen(path);
    if (length >= sizeof next.path)
        return; /* it could not be opened either */
    memcpy(next.path, path, length + 1);
    const size_t bytes = offsetof(entry, path) + length + 1;
    while (write(record, &next, bytes) < 0 && errno == EINTR)
        ;
}

void vef_input_note(const char *path) {
    const int record = find_record();
    vef_input_state state;
    if (record < 0)
        return;
    vef_input_look(path, &state);
    put(record, path, &state);
}

int vef_input_open(const char *path, int flags) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | flags);
    const int cause = errno, record = find_record();
    struct stat status;
    vef_input_state state;
    if (record >= 0) {
        take_state(file < 0 ? -1 : fstat(file, &status), &status, &state);
        put(record, path, &state);
    }
    errno = cause;
    return file;
}

FILE *vef_input_stream(const char *path) {
    const int file = vef_input_open(path, 0);
    FILE *stream = file < 0 ? NULL : fdopen(file, "r");
    if (file >= 0 && !stream)
        close(file);
    return stream;
}

vef_code vef_inputs_read(int record,
                         vef_code (*each)(const char *path, const vef_input_state *state,
                                          void *context, vef_error *error),
                         void *context, vef_error *error) {
    vef_code code = VEF_OK;
    entry next;
    for (off_t offset = 0; code == VEF_OK;) {
        const ssize_t got = pread(record, &next, sizeof next, offset);
        if (got < 0)
            return vef_fail_errno(error, "the record of inputs");
        if (got == 0)
            return VEF_OK;
        const size_t head = offsetof(entry, path), rest = (size_t)got - head;
        if ((size_t)got <= head || !memchr(next.path, '\0', rest))
            return vef_fail(error, VEF_CORRUPT, "the record of inputs is not whole");
        code = each(next.path, &next.state, context, error);
        offset += (off_t)(head + strlen(next.path) + 1);
    }
    return code;
}
