/* Buffers that survive their task: see live.h.
 *
 * A page, then the columns. The page says how far the columns go, twice: what is told goes to the
 * place that is not valid, and then that becomes the valid one by a single store. The processor's
 * order of stores does not matter, since who reads comes when the writer is no more, on the same
 * host; that of the compiler does. */
#include "traces/live.h"

#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_BYTES = 4096, FILE_BYTES = PAGE_BYTES + VEF_COLUMNS * VEF_COLUMN_CAPACITY };

static const char magic[8] = "VEFLIVE2";

/* How far a piece goes. */
typedef struct extent {
    uint64_t first_event, first_request, requests, first_tick;
    uint32_t events, column_bytes[VEF_COLUMNS];
} extent;

typedef struct page {
    char magic[sizeof magic];
    uint32_t task, thread;
    _Atomic uint64_t turn; /* its last bit: which of the two is valid */
    extent extents[2];
} page;
static_assert(sizeof(page) <= PAGE_BYTES, "the page does not hold its contents");

struct vef_live {
    page *page; /* of the mapping */
    char *path;
};

static uint8_t *column_at(void *mapping, unsigned column) {
    return (uint8_t *)mapping + PAGE_BYTES + (size_t)column * VEF_COLUMN_CAPACITY;
}

bool vef_live_path(const char *log, uint32_t thread, char *path, size_t bytes) {
    size_t length = strlen(log);
    if (length > 5 && strcmp(log + length - 5, ".vlog") == 0)
        length -= 5;
    return snprintf(path, bytes, "%.*s.%u.live", (int)length, log, thread) < (int)bytes;
}

/* Reserves the room, so that no store finds the disk full. A limit of the system (ulimit -f) does
 * not kill the program. */
static bool reserve(int file) {
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    bool good = posix_fallocate(file, 0, FILE_BYTES) == 0;
    if (!good && !sigismember(&before, SIGXFSZ) && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

static void *map_file(const char *path) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return NULL;
    void *mapping = MAP_FAILED;
    if (reserve(file))
        mapping = mmap(NULL, FILE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (mapping != MAP_FAILED)
        return mapping;
    unlink(path);
    return NULL;
}

vef_live *vef_live_make(const char *path, uint32_t task, uint32_t thread, vef_encoder *encoder) {
    vef_live *live = calloc(1, sizeof *live);
    char *copy = strdup(path);
    void *mapping = live && copy ? map_file(path) : NULL;
    if (!mapping) {
        free(live);
        free(copy);
        return NULL;
    }
    uint8_t *columns[VEF_COLUMNS];
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        columns[i] = column_at(mapping, i);
    vef_encoder_borrow(encoder, columns);
    live->page = mapping;
    live->path = copy;
    live->page->task = task;
    live->page->thread = thread;
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(live->page->magic, magic, sizeof magic);
    return live;
}

void vef_live_tell(vef_live *live, const vef_encoder *encoder) {
    /* A column that was too short for one long event lies elsewhere until the piece is complete. */
    if (encoder->column[VEF_COLUMN_PAYLOAD] != column_at(live->page, VEF_COLUMN_PAYLOAD))
        return;
    uint64_t turn = atomic_load_explicit(&live->page->turn, memory_order_relaxed) + 1;
    extent *next = &live->page->extents[turn & 1];
    next->first_event = encoder->first_event;
    next->first_request = encoder->first_request;
    next->requests = encoder->coder.next_request - encoder->first_request;
    next->first_tick = encoder->first_tick;
    next->events = encoder->events;
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        next->column_bytes[i] = (uint32_t)encoder->used[i];
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&live->page->turn, turn, memory_order_release);
}

void vef_live_free(vef_live *live, bool kept) {
    if (!live)
        return;
    munmap(live->page, FILE_BYTES);
    if (!kept)
        unlink(live->path);
    free(live->path);
    free(live);
}

/* ---- reading ---- */

/* Keeps of the piece what decodes: the file may have been damaged since. */
static vef_code keep_what_decodes(vef_piece *piece, const uint8_t *raw, uint32_t gap_unit) {
    vef_decoder decoder = {0};
    const uint8_t *column[VEF_COLUMNS];
    const vef_event *event;
    vef_error ignored;
    uint32_t good = 0;
    vef_code code = VEF_OK;
    vef_piece_columns(piece, 1, 0, raw, column);
    vef_decoder_restart(&decoder, piece, column, gap_unit);
    while (good < piece->events) {
        code = vef_decode(&decoder, &event, &ignored);
        if (code || !event)
            break;
        good++;
        piece->requests = decoder.coder.next_request - piece->first_request;
    }
    piece->events = good;
    vef_decoder_free(&decoder);
    return code == VEF_NO_MEMORY ? code : VEF_OK;
}

static vef_code take_piece(const uint8_t *bytes, uint32_t gap_unit, vef_piece *piece, uint8_t **raw,
                           vef_error *error) {
    page head;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0)
        return VEF_OK;
    const extent *valid = &head.extents[atomic_load(&head.turn) & 1];
    *piece = (vef_piece){.task = head.task,
                         .thread = head.thread,
                         .first_event = valid->first_event,
                         .first_request = valid->first_request,
                         .requests = valid->requests,
                         .first_tick = valid->first_tick,
                         .events = valid->events};
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        if (valid->column_bytes[i] > VEF_COLUMN_CAPACITY)
            return VEF_OK;
        piece->column_bytes[i] = valid->column_bytes[i];
    }
    if (piece->events == 0)
        return VEF_OK;
    uint8_t *to = *raw = malloc(vef_piece_bytes(piece) + 1);
    if (!to)
        return vef_fail_memory(error, "a buffer", vef_piece_bytes(piece));
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        memcpy(to, bytes + PAGE_BYTES + (size_t)i * VEF_COLUMN_CAPACITY, piece->column_bytes[i]);
        to += piece->column_bytes[i];
    }
    vef_code code = keep_what_decodes(piece, *raw, gap_unit);
    if (code || piece->events == 0) {
        free(*raw);
        *raw = NULL;
    }
    return code ? vef_fail_memory(error, "an event", 0) : VEF_OK;
}

vef_code vef_live_read(const char *path, uint32_t gap_unit, vef_piece *piece, uint8_t **raw,
                       vef_error *error) {
    *raw = NULL;
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return VEF_OK;
    uint8_t *bytes = MAP_FAILED;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == FILE_BYTES)
        bytes = mmap(NULL, FILE_BYTES, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        return VEF_OK;
    vef_code code = take_piece(bytes, gap_unit, piece, raw, error);
    munmap(bytes, FILE_BYTES);
    return code;
}
