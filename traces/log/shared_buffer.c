/* Buffers that outlive their task: see shared_buffer.h. traces/FORMAT.md defines the file.
 *
 * A page, the columns, then a check per event: a running sum of what was encoded since the start of
 * the piece. Each start has a check of its own; the next piece uses the other one. The writer
 * stores the columns of an event, then its check, then the number of events so far. So whatever
 * happens between two stores, and whichever pages of the file are old, zero or damaged, a reader
 * finds the true events of a piece up to the first one whose check differs, and knows from the
 * number how many follow. */
#include "traces/log/shared_buffer.h"
#include "common/system/descriptor.h"

#include <assert.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
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
    CHECKS_OFFSET = PAGE_BYTES + VEF_COLUMNS * VEF_COLUMN_CAPACITY,
    MOST_EVENTS = VEF_BLOCK_RAW_BYTES / 3 + 1, /* of a piece: each takes a byte of three columns */
    FILE_BYTES = (CHECKS_OFFSET + 8 + MOST_EVENTS * 4 + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES,
};

static const char magic[8] = "VEFLIVE4";
static const size_t version_at = sizeof magic - 1;

/* The start of a piece. The greater turn is newer. */
typedef struct start {
    uint64_t turn, first_event, first_request;
    uint64_t check; /* of these and the page's task and thread; begins the sums of events */
} start;

typedef struct page {
    char magic[sizeof magic];
    uint32_t task, thread;
    start starts[2];
    _Atomic uint64_t
        published; /* coded number of events so far, over all pieces: see code_number */
    vef_slot slot;
} page;
static_assert(sizeof(page) <= PAGE_BYTES, "the page does not hold its contents");

/* Behind the columns. */
typedef struct check_list {
    uint64_t first_tick; /* of the piece; the first check covers it */
    _Atomic uint32_t of_event[MOST_EVENTS];
} check_list;

struct vef_live {
    page *page; /* of the mapping */
    check_list *checks;
    const uint8_t *payload; /* its column of the mapping */
    uint64_t turn, sum;
    char *path;
};

/* ---- checks ---- */

static const uint64_t factor = UINT64_C(0xff51afd7ed558ccd), inverse = UINT64_C(0x4f74430c22a54005);

/* A number that damage changes to one that is far out of range. */
static uint64_t code_number(uint64_t number) {
    return ~number * factor;
}

static uint64_t decode_number(uint64_t code) {
    return ~(code * inverse);
}

static uint64_t mix(uint64_t sum, uint64_t value) {
    sum = (sum ^ value) * factor;
    return sum ^ sum >> 32;
}

static uint64_t check_start(const page *owner, const start *piece) {
    uint64_t sum = mix(piece->turn, (uint64_t)owner->task << 32 | owner->thread);
    return mix(mix(sum, piece->first_event), piece->first_request);
}

/* Adds an event to the sum of those before it: the hash of its payload, and its times. */
static inline uint64_t add_event(uint64_t sum, uint64_t payload_hash, const vef_event *event) {
    uint64_t times = event->gap_ns * UINT64_C(0x9e3779b97f4a7c15) +
                     event->duration_ns * UINT64_C(0xd6e8feb86659fd93) +
                     event->entered * UINT64_C(0xc2b2ae3d27d4eb4f) +
                     event->left * UINT64_C(0xbf58476d1ce4e5b9) +
                     event->outside_ns * UINT64_C(0x94d049bb133111eb);
    if (event->flags & VEF_EVENT_POLL)
        times += mix(event->repeats, event->series_ns);
    return mix(mix(sum, payload_hash), times);
}

static check_list *checks_of(void *mapping) {
    return (check_list *)(void *)((uint8_t *)mapping + CHECKS_OFFSET);
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
    live->checks = checks_of(mapping);
    live->payload = columns[VEF_COLUMN_PAYLOAD];
    live->path = copy;
    live->page->task = task;
    live->page->thread = thread;
    vef_live_begin(live, encoder);
    atomic_signal_fence(memory_order_seq_cst);
    memcpy(live->page->magic, magic, sizeof magic);
    return live;
}

void vef_live_begin(vef_live *live, const vef_encoder *encoder) {
    start *next = &live->page->starts[++live->turn & 1];
    /* A long event may not have been published. */
    atomic_store_explicit(&live->page->published, code_number(encoder->first_event),
                          memory_order_release);
    *next = (start){.turn = live->turn,
                    .first_event = encoder->first_event,
                    .first_request = encoder->first_request};
    next->check = live->sum = check_start(live->page, next);
    /* It may not reach memory after the next event's columns. */
    atomic_thread_fence(memory_order_release);
}

void vef_live_publish(vef_live *live, const vef_encoder *encoder, const vef_event *event) {
    /* A column that was too short for a long event is elsewhere until the piece is complete. */
    if (encoder->column[VEF_COLUMN_PAYLOAD] != live->payload)
        return;
    if (encoder->events == 1)
        live->checks->first_tick = encoder->first_tick;
    live->sum = add_event(live->sum, encoder->coder.last_hash, event);
    atomic_store_explicit(&live->checks->of_event[encoder->events - 1], (uint32_t)live->sum,
                          memory_order_release);
    atomic_store_explicit(&live->page->published,
                          code_number(encoder->first_event + encoder->events),
                          memory_order_release);
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

/* The newest start of a page that its writer may be changing, and the number of events. False if
 * there is none. */
static bool newest_start(page *from, start *newest, uint64_t *published) {
    bool found = false;
    *published = decode_number(atomic_load_explicit(&from->published, memory_order_acquire));
    for (unsigned i = 0; i < 2; i++) {
        start one;
        memcpy(&one, &from->starts[i], sizeof one);
        if (one.check != check_start(from, &one) || (found && one.turn < newest->turn))
            continue;
        *newest = one;
        found = true;
    }
    return found && *published >= newest->first_event &&
           *published - newest->first_event <= MOST_EVENTS;
}

/* Sets the number of events that decode and have the right checks, and their share of the columns.
 * Those of the ticks may be empty: the reader tries both. */
static vef_code keep_true_events(vef_piece *piece, const uint8_t *columns, const start *from,
                                 const check_list *checks, bool ticks, uint32_t gap_unit,
                                 bool sites) {
    vef_decoder decoder = {.sites = sites};
    const uint8_t *column[VEF_COLUMNS];
    const vef_event *event;
    vef_error ignored;
    uint64_t sum = from->check;
    vef_code code = VEF_OK;
    *piece = (vef_piece){.first_event = from->first_event,
                         .first_request = from->first_request,
                         .first_tick = checks->first_tick,
                         .events = MOST_EVENTS};
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        piece->column_bytes[i] = i == VEF_COLUMN_TICKS && !ticks ? 0 : VEF_COLUMN_CAPACITY;
        column[i] = columns + (size_t)i * VEF_COLUMN_CAPACITY;
    }
    vef_decoder_restart(&decoder, piece, column, gap_unit);
    memset(piece->column_bytes, 0, sizeof piece->column_bytes);
    for (piece->events = 0; piece->events < MOST_EVENTS; piece->events++) {
        code = vef_decode(&decoder, &event, &ignored);
        if (code || !event)
            break;
        sum = add_event(sum, decoder.coder.last_hash, event);
        if ((uint32_t)sum !=
            atomic_load_explicit(&checks->of_event[piece->events], memory_order_relaxed))
            break;
        piece->requests = decoder.coder.next_request - piece->first_request;
        for (unsigned i = 0; i < VEF_COLUMNS; i++)
            piece->column_bytes[i] = (uint32_t)(decoder.column[i].next - column[i]);
    }
    vef_decoder_free(&decoder);
    return code == VEF_NO_MEMORY ? code : VEF_OK;
}

static vef_code take_piece(uint8_t *bytes, uint32_t gap_unit, bool sites, vef_piece *piece,
                           uint8_t **raw, uint64_t *published, vef_error *error) {
    page *head = (page *)(void *)bytes;
    start valid;
    if (!newest_start(head, &valid, published))
        return vef_fail(error, VEF_CORRUPT, "its first page is damaged");
    uint8_t *columns = *raw = malloc(VEF_COLUMNS * VEF_COLUMN_CAPACITY);
    if (!columns)
        return vef_fail_memory(error, "a buffer", VEF_COLUMNS * VEF_COLUMN_CAPACITY);
    memcpy(columns, column_at(bytes, 0), VEF_COLUMNS * VEF_COLUMN_CAPACITY);
    vef_code code =
        keep_true_events(piece, columns, &valid, checks_of(bytes), false, gap_unit, sites);
    if (!code && valid.first_event + piece->events < *published) {
        vef_piece other;
        code = keep_true_events(&other, columns, &valid, checks_of(bytes), true, gap_unit, sites);
        *piece = other.events > piece->events ? other : *piece;
    }
    piece->task = head->task;
    piece->thread = head->thread;
    uint8_t *to = columns;
    for (unsigned i = 0; i < VEF_COLUMNS; to += piece->column_bytes[i++])
        memmove(to, columns + (size_t)i * VEF_COLUMN_CAPACITY, piece->column_bytes[i]);
    if (code || piece->events == 0) {
        free(*raw);
        *raw = NULL;
    }
    return code ? vef_fail_memory(error, "an event", 0) : VEF_OK;
}

/* Maps a whole file of this format; NULL if that fails: see error. */
static uint8_t *map_to_read(const char *path, int flags, vef_error *error) {
    struct stat status;
    char found[sizeof magic] = "";
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    uint8_t *bytes = MAP_FAILED;
    if (file < 0 || fstat(file, &status) != 0) {
        vef_fail_errno(error, "cannot be read");
    } else if (!S_ISREG(status.st_mode) || pread(file, found, sizeof found, 0) < 0 ||
               memcmp(found, magic, version_at) != 0) {
        vef_fail(error, VEF_CORRUPT, "its first page is damaged");
    } else if (found[version_at] != magic[version_at]) {
        vef_fail(error, VEF_VERSION,
                 "it has version %c: expected version %c; gather these logs with the vef that "
                 "captured them",
                 found[version_at], magic[version_at]);
    } else if (status.st_size != FILE_BYTES) {
        vef_fail(error, VEF_CORRUPT, "it has %lld bytes: expected %d", (long long)status.st_size,
                 FILE_BYTES);
    } else {
        bytes = mmap(NULL, FILE_BYTES, PROT_READ, flags, file, 0);
        if (bytes == MAP_FAILED)
            vef_fail_errno(error, "cannot be read");
    }
    if (file >= 0)
        close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

vef_code vef_live_read(const char *path, uint32_t gap_unit, bool sites, vef_piece *piece,
                       uint8_t **raw, uint64_t *published, vef_error *error) {
    *raw = NULL;
    *published = 0;
    vef_error reason = {0};
    uint8_t *bytes = map_to_read(path, MAP_PRIVATE, &reason);
    vef_code code =
        bytes ? take_piece(bytes, gap_unit, sites, piece, raw, published, &reason) : reason.code;
    if (bytes)
        munmap(bytes, FILE_BYTES);
    return code ? vef_fail(error, code, "%s: %s", path, reason.message) : VEF_OK;
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
    vef_error ignored;
    uint8_t *bytes = map_to_read(path, MAP_SHARED, &ignored);
    if (!bytes)
        return false;
    vef_slot slot = copy_slot(&((page *)(void *)bytes)->slot);
    munmap(bytes, FILE_BYTES);
    slot.call[sizeof slot.call - 1] = '\0';
    if (slot.call[0] == '\0')
        return false;
    uint64_t since = slot.inside ? slot.entered : slot.left;
    *under_way = (vef_under_way){.inside = slot.inside,
                                 .since_ns = slot_ns(&slot, since),
                                 .seen_ns = slot.seen > since ? slot_ns(&slot, slot.seen) : 0,
                                 .waited_count = slot.inside ? slot.waited_count : 0,
                                 .region_count = slot.region_count,
                                 .stack_count = slot.inside ? slot.stack_count : 0};
    if (under_way->stack_count > VEF_STACK_SHOWN)
        under_way->stack_count = 0;
    memcpy(under_way->stack, slot.stack, sizeof slot.stack);
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
    start piece;    /* as found by vef_live_observe, like the number of events so far */
    uint64_t published;
};

vef_live_view *vef_live_watch(const char *path) {
    vef_error ignored;
    uint8_t *bytes = map_to_read(path, MAP_SHARED, &ignored);
    vef_live_view *view = bytes ? malloc(sizeof *view) : NULL;
    if (view)
        *view = (vef_live_view){.bytes = bytes};
    else if (bytes)
        munmap(bytes, FILE_BYTES);
    return view;
}

bool vef_live_observe(vef_live_view *view) {
    return newest_start((page *)(void *)view->bytes, &view->piece, &view->published);
}

bool vef_live_unchanged(const vef_live_view *view) {
    start now;
    uint64_t published;
    return newest_start((page *)(void *)view->bytes, &now, &published) &&
           now.turn == view->piece.turn && published == view->published;
}

bool vef_live_copy(const vef_live_view *view, int file) {
    page head;
    start now;
    uint64_t published;
    const size_t columns = CHECKS_OFFSET - PAGE_BYTES;
    const size_t checked =
        offsetof(check_list, of_event) + 4 * (size_t)(view->published - view->piece.first_event);
    memcpy(&head, view->bytes, sizeof head);
    head.starts[0] = head.starts[1] = view->piece;
    atomic_store(&head.published, code_number(view->published));
    head.slot = copy_slot(&((page *)(void *)view->bytes)->slot);
    head.slot.turn = 0;
    head.slot.seen = now_on_clock_of(&head.slot);
    bool good =
        ftruncate(file, FILE_BYTES) == 0 &&
        pwrite(file, &head, sizeof head, 0) == (ssize_t)sizeof head &&
        pwrite(file, view->bytes + PAGE_BYTES, columns, PAGE_BYTES) == (ssize_t)columns &&
        pwrite(file, view->bytes + CHECKS_OFFSET, checked, CHECKS_OFFSET) == (ssize_t)checked;
    atomic_thread_fence(memory_order_acquire);
    return good && newest_start((page *)(void *)view->bytes, &now, &published) &&
           now.turn == view->piece.turn;
}

void vef_live_unwatch(vef_live_view *view) {
    if (view)
        munmap(view->bytes, FILE_BYTES);
    free(view);
}
