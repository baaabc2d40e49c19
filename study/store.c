/* Results in a folder. See store.h. */
#include "study/store.h"

#include "common/containers/grow.h"
#include "common/containers/index.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "study/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Bytes of the file that locks guard, all beyond its end. */
static const off_t LOCKS = (off_t)1 << 61;
enum { OF_ADDITIONS, OF_FILE, OF_TABLES, OF_POINTS = 16 };

typedef struct kept_record {
    vef_study_record record;
    bool compared;
    const char *changed; /* once compared: the first input with another content; NULL: none */
} kept_record;

struct vef_study_store {
    vef_study *study;
    const char *version;
    char *folder, *path; /* of the lines */
    int file;
    vef_arena arena; /* records */
    kept_record *records;
    size_t count, room, lines;
    off_t read_bytes;
    const char *other; /* version of the first line of another one */
    size_t others;
    vef_index index, checks; /* of records: by key, by check */
};

/* ---- locks ---- */

static vef_code lock(const vef_study_store *store, off_t byte, short type, bool wait, bool *locked,
                     vef_error *error) {
    struct flock range = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = LOCKS + byte, .l_len = 1};
    int result;
    do
        result = fcntl(store->file, wait ? F_SETLKW : F_SETLK, &range);
    while (result != 0 && errno == EINTR);
    if (locked)
        *locked = result == 0;
    if (result == 0 || (!wait && (errno == EACCES || errno == EAGAIN)))
        return VEF_OK;
    return vef_fail_errno(error, "%s: cannot lock it", store->path);
}

/* The byte of a point: 60 bits of its key. */
static off_t byte_of(const vef_study_point *point) {
    char digits[16];
    snprintf(digits, sizeof digits, "%.15s", point->key);
    return OF_POINTS + (off_t)strtoull(digits, NULL, 16);
}

vef_code vef_study_store_claim(vef_study_store *store, const vef_study_point *point, bool *claimed,
                               vef_error *error) {
    return lock(store, byte_of(point), F_WRLCK, false, claimed, error);
}

void vef_study_store_yield(vef_study_store *store, const vef_study_point *point) {
    lock(store, byte_of(point), F_UNLCK, false, NULL, NULL);
}

/* ---- reading ---- */

static uint32_t hash_of(const char *key) {
    char digits[9];
    snprintf(digits, sizeof digits, "%.8s", key);
    return (uint32_t)strtoul(digits, NULL, 16);
}

size_t vef_study_store_lines(const vef_study_store *store) {
    return store->lines;
}

/* Compares the inputs of a result with the present contents of the files, once. */
static bool is_current(const vef_study_store *store, kept_record *kept) {
    if (!kept->compared)
        kept->changed = vef_study_inputs_compare(&store->study->inputs, kept->record.inputs);
    kept->compared = true;
    return !kept->changed;
}

/* The last result of a key whose inputs are, or are not, current. */
static kept_record *find(const vef_study_store *store, const char *key, bool current) {
    kept_record *found = NULL;
    if (store->index.capacity == 0)
        return NULL;
    vef_index_walk walk = vef_index_begin(&store->index, hash_of(key));
    for (uint32_t i; (i = vef_index_next(&store->index, &walk)) != VEF_INDEX_NONE;) {
        kept_record *kept = &store->records[i];
        if (strcmp(kept->record.key, key) == 0 &&
            (!found || found->record.line < kept->record.line) &&
            is_current(store, kept) == current)
            found = kept;
    }
    return found;
}

const vef_study_record *vef_study_store_find(const vef_study_store *store,
                                             const vef_study_point *point) {
    const kept_record *kept = find(store, point->key, true);
    return kept ? &kept->record : NULL;
}

const char *vef_study_store_changed(const vef_study_store *store, const vef_study_point *point) {
    const kept_record *other = find(store, point->key, false);
    return other && !find(store, point->key, true) ? other->changed : NULL;
}

static vef_code keep(vef_study_store *store, const vef_study_record *record, const char *place,
                     vef_error *error) {
    vef_index_reserve(&store->index);
    vef_index_reserve(&store->checks);
    vef_grow(&store->records, &store->room, store->count + 1, sizeof *store->records);
    vef_index_walk walk = vef_index_begin(&store->checks, (uint32_t)record->check);
    for (uint32_t i; (i = vef_index_next(&store->checks, &walk)) != VEF_INDEX_NONE;)
        if (store->records[i].record.check == record->check)
            return vef_fail(error, VEF_CORRUPT,
                            "%s: the same as line %zu: expected each result once; remove the line",
                            place, store->records[i].record.line);
    vef_index_add(&store->index, hash_of(record->key), (uint32_t)store->count);
    vef_index_add(&store->checks, (uint32_t)record->check, (uint32_t)store->count);
    store->records[store->count++] = (kept_record){.record = *record};
    vef_study_inputs_learn(&store->study->inputs, record->inputs);
    return VEF_OK;
}

static vef_code read_line(vef_study_store *store, char *line, vef_error *error) {
    vef_study_record record;
    const char *version = NULL;
    char place[4200];
    snprintf(place, sizeof place, "%s:%zu", store->path, ++store->lines);
    vef_code code = vef_study_record_read(store->study->kind, line, place, store->version,
                                          &store->arena, &record, &version, error);
    if (code != VEF_OK)
        return code;
    record.line = store->lines;
    if (strcmp(version, store->version) == 0)
        return keep(store, &record, place, error);
    store->other = store->others++ ? store->other : version;
    return VEF_OK;
}

/* Reads `bytes` bytes from `offset`; fewer at the end of the file. */
static vef_code read_bytes(const vef_study_store *store, off_t offset, char *text, size_t bytes,
                           size_t *got, vef_error *error) {
    *got = 0;
    while (*got < bytes) {
        const ssize_t result = pread(store->file, text + *got, bytes - *got, offset + (off_t)*got);
        if (result < 0 && errno == EINTR)
            continue;
        if (result < 0)
            return vef_fail_errno(error, "%s", store->path);
        if (result == 0)
            break;
        *got += (size_t)result;
    }
    return VEF_OK;
}

vef_code vef_study_store_refresh(vef_study_store *store, vef_error *error) {
    struct stat status;
    if (fstat(store->file, &status) != 0)
        return vef_fail_errno(error, "%s", store->path);
    if (status.st_size <= store->read_bytes)
        return VEF_OK;
    size_t bytes = (size_t)(status.st_size - store->read_bytes);
    char *text = vef_malloc(bytes + 1);
    vef_code code = read_bytes(store, store->read_bytes, text, bytes, &bytes, error);
    char *line = text;
    for (char *end; code == VEF_OK && (end = memchr(line, '\n', bytes - (size_t)(line - text)));
         line = end + 1) {
        *end = '\0';
        code = read_line(store, line, error);
    }
    store->read_bytes += line - text; /* a line without an end is read when it is whole */
    free(text);
    return code;
}

/* ---- adding ---- */

/* The length of the file up to the end of its last whole line. */
static vef_code whole_bytes(const vef_study_store *store, off_t *whole, vef_error *error) {
    enum { STEP_BYTES = 8192 };
    struct stat status;
    char text[STEP_BYTES];
    if (fstat(store->file, &status) != 0)
        return vef_fail_errno(error, "%s", store->path);
    for (*whole = status.st_size; *whole > 0;) {
        const off_t from = *whole > STEP_BYTES ? *whole - STEP_BYTES : 0;
        size_t got;
        vef_code code = read_bytes(store, from, text, (size_t)(*whole - from), &got, error);
        if (code != VEF_OK)
            return code;
        const char *end = memrchr(text, '\n', got);
        *whole = end ? from + (end - text) + 1 : from;
        if (end)
            break;
    }
    return VEF_OK;
}

static vef_code write_line(const vef_study_store *store, const char *line, size_t bytes,
                           vef_error *error) {
    off_t offset;
    vef_code code = whole_bytes(store, &offset, error);
    if (code == VEF_OK && ftruncate(store->file, offset) != 0)
        code = vef_fail_errno(error, "%s", store->path);
    for (size_t done = 0; code == VEF_OK && done < bytes;) {
        const ssize_t result = pwrite(store->file, line + done, bytes - done, offset + (off_t)done);
        if (result < 0 && errno == EINTR)
            continue;
        if (result <= 0) {
            code = vef_fail_errno(error, "%s: cannot add a result", store->path);
            if (ftruncate(store->file, offset) != 0)
                return code; /* the next addition removes the rest */
        } else {
            done += (size_t)result;
        }
    }
    return code;
}

vef_code vef_study_store_add(vef_study_store *store, const vef_study_point *point,
                             const vef_study_outcome *outcome, vef_error *error) {
    char *line = NULL;
    size_t bytes = 0;
    vef_code code = lock(store, OF_ADDITIONS, F_WRLCK, true, NULL, error);
    if (code != VEF_OK)
        return code;
    code = vef_study_store_refresh(store, error);
    if (code == VEF_OK)
        code = vef_study_record_write(store->study, point, outcome, store->version,
                                      store->lines + 1, &line, &bytes, error);
    if (code == VEF_OK)
        code = write_line(store, line, bytes, error);
    lock(store, OF_ADDITIONS, F_UNLCK, false, NULL, NULL);
    if (code == VEF_OK && vef_file_sync(store->file) != 0)
        code = vef_fail_errno(error, "%s: cannot add a result", store->path);
    free(line);
    return code == VEF_OK ? vef_study_store_refresh(store, error) : code;
}

vef_code vef_study_store_lock_tables(vef_study_store *store, vef_error *error) {
    vef_code code = lock(store, OF_TABLES, F_WRLCK, true, NULL, error);
    return code == VEF_OK ? vef_study_store_refresh(store, error) : code;
}

void vef_study_store_unlock_tables(vef_study_store *store) {
    lock(store, OF_TABLES, F_UNLCK, false, NULL, NULL);
}

/* ---- opening ---- */

static vef_code open_lines(vef_study_store *store, vef_error *error) {
    store->file = open(store->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    return store->file < 0 ? vef_fail_errno(error, "%s", store->path) : VEF_OK;
}

/* Moves the lines of other versions to a file of their own. */
static vef_code set_aside(vef_study_store *store, vef_error *error) {
    char *moved = vef_printed("%s/results-%s.jsonl", store->folder, store->other);
    vef_code code = VEF_OK;
    if (access(moved, F_OK) == 0)
        code = vef_fail(error, VEF_INVALID, "%s: exists: expected that name to be free", moved);
    else if (rename(store->path, moved) != 0 || vef_file_sync_folder(moved) != 0)
        code = vef_fail_errno(error, "cannot rename %s to %s", store->path, moved);
    free(moved);
    if (code != VEF_OK)
        return code;
    close(store->file);
    vef_index_free(&store->index);
    vef_index_free(&store->checks);
    store->count = store->lines = store->others = 0;
    store->read_bytes = 0;
    code = open_lines(store, error);
    return code == VEF_OK ? lock(store, OF_FILE, F_WRLCK, true, NULL, error) : code;
}

/* Writes the study's file unless its content is there. */
static vef_code write_study(const vef_study_store *store, const char *path, vef_error *error) {
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    if (code == VEF_OK)
        code = vef_output_write(&output, store->study->text, strlen(store->study->text), error);
    if (code == VEF_OK)
        return vef_output_commit(&output, error);
    vef_output_discard(&output);
    return code;
}

static bool is_study(const vef_study_store *store, const char *path) {
    char *text = NULL;
    vef_error ignored;
    const bool equal = access(path, F_OK) == 0 &&
                       vef_file_read(path, (size_t)1 << 24, &text, NULL, &ignored) == VEF_OK &&
                       strcmp(text, store->study->text) == 0;
    free(text);
    return equal;
}

/* Locks the file: alone, if no other process uses it, else shared. Opens it again if it was set
 * aside between opening and locking. */
static vef_code lock_file(vef_study_store *store, bool *alone, vef_error *error) {
    for (;;) {
        struct stat held, named;
        vef_code code = lock(store, OF_FILE, F_WRLCK, false, alone, error);
        if (code == VEF_OK && !*alone)
            code = lock(store, OF_FILE, F_RDLCK, true, NULL, error);
        if (code != VEF_OK)
            return code;
        if (fstat(store->file, &held) != 0)
            return vef_fail_errno(error, "%s", store->path);
        if (stat(store->path, &named) == 0 && named.st_ino == held.st_ino &&
            named.st_dev == held.st_dev)
            return VEF_OK;
        close(store->file);
        code = open_lines(store, error);
        if (code != VEF_OK)
            return code;
    }
}

/* Alone in the folder, a process may change its files; several share it. */
static vef_code settle(vef_study_store *store, bool aside, vef_error *error) {
    char *path = vef_printed("%s/study.yaml", store->folder);
    bool alone = false;
    vef_code code = lock_file(store, &alone, error);
    if (code == VEF_OK && !alone && !is_study(store, path))
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "%s: another study, %s, is running in this folder: expected its end, or "
                        "another folder",
                        store->folder, path);
    if (code == VEF_OK)
        code = vef_study_store_refresh(store, error);
    if (code == VEF_OK && store->others > 0 && !(aside && alone))
        code = vef_fail(error, VEF_VERSION,
                        "%s: %zu results are of vef %s, and this is vef %s: expected another "
                        "folder, or --rerun, which keeps them in a file of their own",
                        store->path, store->others, store->other, store->version);
    if (code == VEF_OK && store->others > 0)
        code = set_aside(store, error);
    if (code == VEF_OK && alone && !is_study(store, path))
        code = write_study(store, path, error);
    if (code == VEF_OK && alone)
        code = lock(store, OF_FILE, F_RDLCK, true, NULL, error);
    free(path);
    return code;
}

vef_code vef_study_store_open(const char *folder, vef_study *study, const char *version, bool aside,
                              vef_study_store **opened, vef_error *error) {
    vef_study_store *store = *opened = vef_calloc(1, sizeof *store);
    *store = (vef_study_store){.study = study, .version = version, .file = -1};
    store->folder = vef_strdup(folder);
    store->path = vef_printed("%s/results.jsonl", folder);
    vef_code code = VEF_OK;
    if (mkdir(folder, 0777) == 0 ? vef_file_sync_folder(folder) != 0 : errno != EEXIST)
        code = vef_fail_errno(error, "%s", folder);
    if (code == VEF_OK)
        code = open_lines(store, error);
    if (code == VEF_OK)
        code = settle(store, aside, error);
    if (code != VEF_OK) {
        vef_study_store_close(store);
        *opened = NULL;
    }
    return code;
}

void vef_study_store_close(vef_study_store *store) {
    if (!store)
        return;
    if (store->file >= 0)
        close(store->file);
    free(store->records);
    vef_index_free(&store->index);
    vef_index_free(&store->checks);
    vef_arena_release(&store->arena);
    free(store->folder);
    free(store->path);
    free(store);
}
