/* Buffers that outlive their task: see shared_buffer.h.
 *
 * A file has a page, the columns, then a tail. The page records twice how far the columns go. The
 * writer updates the older of the two records between two copies of its turn, so that a record with
 * different copies was being written. The newest whole record is valid. Within a piece the columns
 * only grow; before the writer reuses them for the next piece, it stores the number of that piece's
 * first event in the tail. A reader that reads the page, then the columns, then the tail (as a
 * sequential copy does) therefore knows whether they belong together, and a reader in the same
 * memory sees a prefix of the recorded events at any moment. */
#include "traces/log/shared_buffer.h"
#include "common/descriptor.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif
#include <unistd.h>

enum {
    PAGE_BYTES = 4096,
    TAIL_OFFSET = PAGE_BYTES + VEF_COLUMNS * VEF_COLUMN_CAPACITY,
    FILE_BYTES = TAIL_OFFSET + 64,
};

static const char magic[8] = "VEFLIVE3";

/* The extent of a piece. Whole if both turns are equal; the greater turn is newer.
 */
typedef struct extent {
    _Atomic uint64_t turn;
    uint64_t first_event, first_request, requests, first_tick;
    uint32_t events, column_bytes[VEF_COLUMNS];
    _Atomic uint64_t turn_again;
} extent;

typedef struct page {
    char magic[sizeof magic];
    uint32_t task, thread;
    extent extents[2];
    vef_slot slot;
} page;
static_assert(sizeof(page) <= PAGE_BYTES, "the page does not hold its contents");

struct vef_live {
    page *page; /* of the mapping */
    uint64_t turn;
    char *path;
};

/* The first event of the piece in the columns. */
static _Atomic uint64_t *tail_of(void *mapping) {
    return (_Atomic uint64_t *)(void *)((uint8_t *)mapping + TAIL_OFFSET);
}

static uint8_t *column_at(void *mapping, unsigned column) {
    return (uint8_t *)mapping + PAGE_BYTES + (size_t)column * VEF_COLUMN_CAPACITY;
}

bool vef_live_path(const char *log, uint32_t thread, char *path, size_t bytes) {
    size_t length = strlen(log);
    if (length > 5 && strcmp(log + length - 5, ".vlog") == 0)
        length -= 5;
    return snprintf(path, bytes, "%.*s.%u.live", (int)length, log, thread) < (int)bytes;
}

/* Reserves the space, so that no store meets a full disk. */
static bool reserve(int file) {
    enum { TRIES = 100 };
    int cause = vef_size_is_allowed(FILE_BYTES) ? EINTR : EFBIG;
    for (int i = 0; i < TRIES && cause == EINTR; i++)
        cause = posix_fallocate(file, 0, FILE_BYTES);
    return cause == 0;
}

static void *map_file(const char *path) {
    int file = vef_open_high(path, O_RDWR | O_CREAT | O_EXCL);
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

void vef_live_publish(vef_live *live, const vef_encoder *encoder) {
    /* A column that was too short for a long event is elsewhere until the piece is complete. */
    if (encoder->column[VEF_COLUMN_PAYLOAD] != column_at(live->page, VEF_COLUMN_PAYLOAD))
        return;
    uint64_t turn = ++live->turn;
    extent *next = &live->page->extents[turn & 1];
    if (encoder->events == 0)
        atomic_store_explicit(tail_of(live->page), encoder->first_event, memory_order_relaxed);
    atomic_store_explicit(&next->turn, turn, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    next->first_event = encoder->first_event;
    next->first_request = encoder->first_request;
    next->requests = encoder->coder.next_request - encoder->first_request;
    next->first_tick = encoder->first_tick;
    next->events = encoder->events;
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        next->column_bytes[i] = (uint32_t)encoder->used[i];
    atomic_store_explicit(&next->turn_again, turn, memory_order_release);
    /* Neither the tail nor this record may reach memory after later data. */
    atomic_thread_fence(memory_order_release);
}

vef_slot *vef_live_slot(vef_live *live) {
    return &live->page->slot;
}

void vef_live_free(vef_live *live, bool kept) {
    if (!live)
        return;
    /* Another thread of the task may be about to use the slot: its page stays mapped, but no longer
     * shared. */
    mmap(live->page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
         -1, 0);
    munmap((uint8_t *)live->page + PAGE_BYTES, FILE_BYTES - PAGE_BYTES);
    if (!kept)
        unlink(live->path);
    free(live->path);
    free(live);
}

/* ---- reading ---- */

/* Keeps the decodable part of the piece: the file may be damaged. */
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

/* The newest whole record of a page that its writer may be changing. False if none. */
static bool newest_extent(page *from, extent *newest) {
    bool found = false;
    for (unsigned i = 0; i < 2; i++) {
        extent one, *at = &from->extents[i];
        uint64_t turn_again = atomic_load_explicit(&at->turn_again, memory_order_acquire);
        memcpy(&one, at, sizeof one);
        atomic_thread_fence(memory_order_acquire);
        uint64_t turn = atomic_load_explicit(&at->turn, memory_order_relaxed);
        if (turn != turn_again || (found && turn < newest->turn))
            continue;
        *newest = one;
        newest->turn = newest->turn_again = turn;
        found = true;
    }
    for (unsigned i = 0; found && i < VEF_COLUMNS; i++)
        found = newest->column_bytes[i] <= VEF_COLUMN_CAPACITY;
    return found;
}

static vef_code take_piece(uint8_t *bytes, uint32_t gap_unit, vef_piece *piece, uint8_t **raw,
                           vef_error *error) {
    page *head = (page *)(void *)bytes;
    extent valid;
    if (memcmp(head->magic, magic, sizeof magic) != 0 || !newest_extent(head, &valid) ||
        valid.events == 0 || valid.first_event != atomic_load(tail_of(bytes)))
        return VEF_OK;
    *piece = (vef_piece){.task = head->task,
                         .thread = head->thread,
                         .first_event = valid.first_event,
                         .first_request = valid.first_request,
                         .requests = valid.requests,
                         .first_tick = valid.first_tick,
                         .events = valid.events};
    memcpy(piece->column_bytes, valid.column_bytes, sizeof piece->column_bytes);
    uint8_t *to = *raw = malloc(vef_piece_bytes(piece) + 1);
    if (!to)
        return vef_fail_memory(error, "a buffer", vef_piece_bytes(piece));
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        memcpy(to, column_at(bytes, i), piece->column_bytes[i]);
        to += piece->column_bytes[i];
    }
    vef_code code = keep_what_decodes(piece, *raw, gap_unit);
    if (code || piece->events == 0) {
        free(*raw);
        *raw = NULL;
    }
    return code ? vef_fail_memory(error, "an event", 0) : VEF_OK;
}

/* Maps a whole file; MAP_FAILED if it does not exist or has another format. */
static uint8_t *map_to_read(const char *path, int flags) {
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t *bytes = MAP_FAILED;
    if (file < 0)
        return bytes;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == FILE_BYTES)
        bytes = mmap(NULL, FILE_BYTES, PROT_READ, flags, file, 0);
    close(file);
    return bytes;
}

vef_code vef_live_read(const char *path, uint32_t gap_unit, vef_piece *piece, uint8_t **raw,
                       vef_error *error) {
    *raw = NULL;
    uint8_t *bytes = map_to_read(path, MAP_PRIVATE);
    if (bytes == MAP_FAILED)
        return VEF_OK;
    vef_code code = take_piece(bytes, gap_unit, piece, raw, error);
    munmap(bytes, FILE_BYTES);
    return code;
}

static uint64_t slot_ns(const vef_slot *slot, uint64_t tick) {
    uint64_t ticks = tick > slot->origin ? tick - slot->origin : 0;
    return (uint64_t)((unsigned __int128)ticks * slot->scale >> 32);
}

/* A copy of a slot that its writer may be changing. A task that was killed during the change has
 * published at least its call. */
static vef_slot copy_slot(vef_slot *from) {
    enum { TRIES = 1000 };
    vef_slot copy = {0};
    for (int tries = 0; tries < TRIES; tries++) {
        uint32_t turn = atomic_load_explicit(&from->turn, memory_order_acquire);
        memcpy(&copy, from, sizeof copy);
        atomic_thread_fence(memory_order_acquire);
        if (turn % 2 == 0 && atomic_load_explicit(&from->turn, memory_order_relaxed) == turn)
            return copy;
    }
    copy.waited_count = 0;
    return copy;
}

bool vef_live_under_way(const char *path, vef_under_way *under_way) {
    uint8_t *bytes = map_to_read(path, MAP_SHARED);
    if (bytes == MAP_FAILED)
        return false;
    page *head = (page *)(void *)bytes;
    bool ours = memcmp(head->magic, magic, sizeof magic) == 0;
    vef_slot slot = {0};
    if (ours)
        slot = copy_slot(&head->slot);
    munmap(bytes, FILE_BYTES);
    slot.call[sizeof slot.call - 1] = '\0';
    if (slot.call[0] == '\0')
        return false;
    uint64_t since = slot.inside ? slot.entered : slot.left;
    *under_way = (vef_under_way){.inside = slot.inside,
                                 .since_ns = slot_ns(&slot, since),
                                 .seen_ns = slot.seen > since ? slot_ns(&slot, slot.seen) : 0,
                                 .waited_count = slot.inside ? slot.waited_count : 0,
                                 .region_count = slot.region_count};
    memcpy(under_way->call, slot.call, sizeof slot.call);
    memcpy(under_way->waited, slot.waited, sizeof slot.waited);
    memcpy(under_way->region, slot.region, sizeof slot.region);
    for (unsigned i = 0; i < VEF_REGIONS_SHOWN; i++)
        under_way->region[i][VEF_REGION_NAME_BYTES - 1] = '\0';
    return true;
}

/* ---- while the task runs ---- */

/* Now, in ticks of the task's clock: the time-stamp counter, or ns (capture/clock/clock.h). */
static uint64_t now_on_clock_of(const vef_slot *slot) {
#if defined(__x86_64__)
    if (slot->scale != UINT64_C(1) << 32)
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

struct vef_live_view {
    uint8_t *bytes; /* of the mapping */
    extent record;  /* as found by vef_live_observe */
};

vef_live_view *vef_live_watch(const char *path) {
    uint8_t *bytes = map_to_read(path, MAP_SHARED);
    vef_live_view *view = bytes != MAP_FAILED ? malloc(sizeof *view) : NULL;
    if (view)
        *view = (vef_live_view){.bytes = bytes};
    else if (bytes != MAP_FAILED)
        munmap(bytes, FILE_BYTES);
    return view;
}

bool vef_live_observe(vef_live_view *view) {
    return newest_extent((page *)(void *)view->bytes, &view->record);
}

bool vef_live_unchanged(const vef_live_view *view) {
    extent now;
    return newest_extent((page *)(void *)view->bytes, &now) && now.turn == view->record.turn;
}

bool vef_live_copy(const vef_live_view *view, int file) {
    page head;
    const extent *record = &view->record;
    uint64_t first = record->first_event;
    memcpy(&head, view->bytes, sizeof head);
    head.extents[0] = head.extents[1] = *record;
    head.slot = copy_slot(&((page *)(void *)view->bytes)->slot);
    head.slot.turn = 0;
    head.slot.seen = now_on_clock_of(&head.slot);
    bool good = ftruncate(file, FILE_BYTES) == 0 &&
                pwrite(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
                pwrite(file, &first, sizeof first, TAIL_OFFSET) == (ssize_t)sizeof first;
    for (unsigned i = 0; i < VEF_COLUMNS && good; i++) {
        const uint8_t *column = column_at(view->bytes, i);
        good = pwrite(file, column, record->column_bytes[i], column - view->bytes) ==
               (ssize_t)record->column_bytes[i];
    }
    atomic_thread_fence(memory_order_acquire);
    return good && atomic_load(tail_of(view->bytes)) == first;
}

void vef_live_unwatch(vef_live_view *view) {
    if (view)
        munmap(view->bytes, FILE_BYTES);
    free(view);
}
