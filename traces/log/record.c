/* Writing the log of one task. See log.h; write.c writes the blocks to the file.
 *
 * Blocks are stored uncompressed. bench/codec.c, on a halo exchange with noisy times: encoding
 * takes some 40 ns per event, which leaves 5.2 bytes; the fastest level of zlib takes another 110
 * ns for 2.8 bytes. A log exists only until it is merged; merging compresses.
 */
#include "common/containers/grow.h"
#include "common/system/descriptor.h"
#include "traces/format/communicator.h"
#include "traces/format/preamble.h"
#include "traces/log/lock.h"
#include "traces/log/log_state.h"

#include <fcntl.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- locks: without threads nothing is locked ---- */

static void wait_a_little(unsigned tries) {
    if (tries >= 100)
        nanosleep(&(struct timespec){0, 20000}, NULL); /* the holder is writing, or preempted */
}

static void take(const vef_log *log, atomic_int *busy) {
    if (log->threaded)
        for (unsigned tries = 0; atomic_exchange_explicit(busy, 1, memory_order_acquire); tries++)
            wait_a_little(tries);
}

static void give(atomic_int *busy) {
    atomic_store_explicit(busy, 0, memory_order_release);
}

/* ---- opening ---- */

static vef_code recorded_failure(const vef_log *log, vef_error *error) {
    VEF_KEEP_ERRNO;
    int cause = atomic_load_explicit(&log->failed, memory_order_relaxed);
    if (!cause)
        return VEF_OK;
    errno = cause;
    return vef_fail_errno(error, "writing the log of task %u (kept up to byte %llu)", log->task,
                          (unsigned long long)log->good_bytes);
}

static vef_code write_preamble(vef_log *log, const vef_log_header *header, const char *path,
                               vef_error *error) {
    const char *none = "";
    vef_log_writer writer = vef_log_writer_self();
    const vef_field fields[] = {
        {"task", NULL, header->task},
        {"tasks", NULL, header->tasks},
        {"program", header->program ? header->program : none, 0},
        {"library", header->library ? header->library : none, 0},
        {"clock", header->clock ? header->clock : none, 0},
        {"host", header->host ? header->host : none, 0},
        {"started_ns", NULL, (int64_t)header->started_ns},
        {"options", header->options ? header->options : none, 0},
        {"job", header->job ? header->job : none, 0},
        {"times", header->times ? header->times : "all", 0},
        {"spawned", NULL, header->spawned},
        {"process", NULL, writer.process},
        {"process_began", NULL, writer.process_began},
        {"locked", NULL, log->lock != NULL},
        {"sites", NULL, 1}, /* only if it has some */
    };
    const size_t count = sizeof fields / sizeof *fields - !header->sites;
    uint8_t *bytes = NULL;
    size_t size = 0;
    vef_code code = vef_preamble_make(vef_log_magic, "vef log of one task", fields, count, &bytes,
                                      &size, error);
    if (code)
        return code;
    errno = vef_log_put_bytes(log->file, bytes, size, 0);
    if (errno != 0)
        code = vef_fail_errno(error, "writing %s", path);
    log->good_bytes = log->first_block = size;
    free(bytes);
    return code;
}

static void free_lanes(vef_log *log) {
    for (vef_lane *lane = log->lanes, *next; lane; lane = next) {
        next = lane->next;
        vef_encoder_free(&lane->encoder);
        vef_live_free(lane->live, atomic_load(&log->failed) != 0);
        free(lane);
    }
    log->lanes = NULL;
}

static void free_log(vef_log *log) {
    free_lanes(log);
    free((void *)log->counts);
    free(log->path);
    free(log->beside);
    free(log->copy);
    vef_before_free(&log->before);
    free(log->scratch);
    vef_log_unlock(log->lock);
    free(log);
}

vef_code vef_log_open(const char *path, const vef_log_header *header, vef_log **opened,
                      vef_error *error) {
    *opened = NULL;
    vef_log *log = calloc(1, sizeof *log);
    if (!log)
        return vef_fail_memory(error, "a log", sizeof *log);
    vef_lane *first = NULL;
    log->task = header->task;
    log->gap_unit = header->times ? vef_gap_unit(header->times) : 1;
    log->sites = header->sites;
    log->counts = calloc(4 * vef_call_count(), sizeof *log->counts);
    log->scratch_bytes = vef_calls_bound() + 1024 + 32 * (size_t)header->tasks;
    log->scratch = malloc(log->scratch_bytes);
    vef_code code = VEF_OK;
    if (!log->counts || !log->scratch) {
        code = vef_fail_memory(error, "a log", log->scratch_bytes);
    } else {
        log->counts_ns = log->counts + vef_call_count();
        log->left_out = log->counts_ns + vef_call_count();
        log->left_out_ns = log->left_out + vef_call_count();
    }
    if (!code)
        code = vef_log_lane(log, 0, &first, error);
    if (code) {
        free_log(log);
        return code;
    }
    int file = vef_log_open_file(path, O_CREAT | O_EXCL, &log->lock);
    if (file < 0) {
        code = vef_fail_errno(error, "creating %s", path);
        free_log(log);
        return code;
    }
    vef_log_take_file(log, file);
    code = write_preamble(log, header, path, error);
    if (!code) /* for renewal under a limit; the working directory may change */
        log->path = realpath(path, NULL);
    if (!code && !log->path)
        code = vef_fail_errno(error, "creating %s", path);
    if (code) {
        close(log->file);
        unlink(path);
        free_log(log);
        return code;
    }
    *opened = log;
    return VEF_OK;
}

void vef_log_threaded(vef_log *log, bool threaded) {
    log->threaded = threaded;
}

vef_code vef_log_limit(vef_log *log, uint64_t bytes, bool ring, vef_error *error) {
    if (bytes > 0 && bytes < VEF_LOG_LEAST_BYTES)
        return vef_fail(error, VEF_INVALID,
                        "a log limit of %llu bytes is out of range: expected at least %d",
                        (unsigned long long)bytes, VEF_LOG_LEAST_BYTES);
    if (ring && !log->copy) {
        size_t length = strlen(log->path);
        log->copy = malloc(VEF_LOG_COPY_BYTES);
        log->beside = malloc(length + 2);
        if (!log->copy || !log->beside)
            return vef_fail_memory(error, "a log", VEF_LOG_COPY_BYTES);
        memcpy(log->beside, log->path, length);
        memcpy(log->beside + length, "~", 2);
    }
    log->limit = bytes;
    log->ring = ring;
    return VEF_OK;
}

/* The lane's encoder is empty. If this fails, a killed task only loses more.
 */
static void make_live(vef_log *log, vef_lane *lane) {
    char path[4096];
    if (vef_live_path(log->path, lane->thread, path, sizeof path))
        lane->live = vef_live_make(path, log->task, lane->thread, &lane->encoder);
}

void vef_log_survive(vef_log *log) {
    log->survives = true;
    for (vef_lane *lane = log->lanes; lane; lane = lane->next)
        if (!lane->live && lane->encoder.events == 0)
            make_live(log, lane);
}

bool vef_log_stopped(const vef_log *log) {
    return atomic_load(&log->stopped);
}

static vef_lane *find_lane(const vef_log *log, uint32_t thread) {
    vef_lane *lane = atomic_load_explicit(&log->lanes, memory_order_acquire);
    while (lane && lane->thread != thread)
        lane = lane->next;
    return lane;
}

static vef_code make_lane(vef_log *log, uint32_t thread, vef_lane **made, vef_error *error) {
    vef_lane *lane = calloc(1, sizeof *lane);
    if (!lane)
        return vef_fail_memory(error, "a thread's part of a log", sizeof *lane);
    vef_code code = vef_encoder_init(&lane->encoder, error);
    if (code) {
        free(lane);
        return code;
    }
    lane->log = log;
    lane->thread = thread;
    lane->encoder.gap_unit = log->gap_unit;
    lane->encoder.coder.sites = log->sites;
    if (log->survives)
        make_live(log, lane);
    lane->next = atomic_load_explicit(&log->lanes, memory_order_relaxed);
    atomic_store_explicit(&log->lanes, lane, memory_order_release);
    *made = lane;
    return VEF_OK;
}

vef_code vef_log_lane(vef_log *log, uint32_t thread, vef_lane **lane, vef_error *error) {
    if (thread >= VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "thread %u of a task is out of range: expected less than %d", thread,
                        VEF_THREAD_LIMIT);
    vef_code code = VEF_OK;
    take(log, &log->busy);
    *lane = find_lane(log, thread);
    if (!*lane)
        code = make_lane(log, thread, lane, error);
    give(&log->busy);
    return code;
}

vef_slot *vef_lane_slot(vef_lane *lane) {
    return lane->live ? vef_live_slot(lane->live) : NULL;
}

/* ---- appending ---- */

/* The lane and the log are busy. */
static void put_events(vef_lane *lane) {
    vef_encoder *encoder = &lane->encoder;
    if (encoder->events == 0)
        return;
    uint8_t directory[VEF_PIECE_BOUND];
    vef_piece piece = vef_encoder_piece(encoder, lane->log->task, lane->thread);
    uint8_t *end = vef_pieces_put(directory, &piece, 1);
    vef_part parts[1 + VEF_COLUMNS] = {{directory, (uint32_t)(end - directory)}};
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        parts[1 + i] = (vef_part){encoder->column[i], piece.column_bytes[i]};
    vef_log_put_block(lane->log, VEF_BLOCK_EVENTS, parts, 1 + VEF_COLUMNS);
    vef_encoder_restart(encoder);
    /* Data that did not fit stays in place, and is all that follows. */
    if (lane->live && !atomic_load(&lane->log->failed))
        vef_live_begin(lane->live, encoder);
}

static uint8_t *put_calls(uint8_t *to, const _Atomic uint64_t *counts, const _Atomic uint64_t *ns) {
    for (size_t call = 0; call < vef_call_count(); call++) {
        uint64_t times = atomic_load_explicit(&counts[call], memory_order_relaxed);
        if (times == 0)
            continue;
        to = vef_put_varint(to, call);
        to = vef_put_varint(to, times);
        to = vef_put_varint(to, atomic_load_explicit(&ns[call], memory_order_relaxed));
    }
    return to;
}

/* The log is busy. */
static void put_counts(vef_log *log) {
    if (!atomic_exchange(&log->counted, false))
        return;
    uint8_t *to = put_calls(log->scratch, log->counts, log->counts_ns);
    vef_part part = {log->scratch, (uint32_t)(to - log->scratch)};
    vef_log_put_block(log, VEF_BLOCK_COUNTS, &part, 1);
    to = vef_measured_put(log->scratch, &log->measured, 1);
    to = put_calls(to, log->left_out, log->left_out_ns);
    part.size = (uint32_t)(to - log->scratch);
    vef_log_put_block(log, VEF_BLOCK_MEASURED, &part, 1);
    log->reported_bytes = log->good_bytes;
}

vef_code vef_lane_event(vef_lane *lane, const vef_event *event, vef_error *error) {
    vef_log *log = lane->log;
    if (atomic_load_explicit(&log->failed, memory_order_relaxed))
        return recorded_failure(log, error);
    if (atomic_load_explicit(&log->stopped, memory_order_relaxed))
        return VEF_OK;
    take(log, &lane->busy);
    vef_code code = vef_encode(&lane->encoder, event, error);
    if (!code && lane->live)
        vef_live_publish(lane->live, &lane->encoder, event);
    if (!code && vef_encoder_full(&lane->encoder)) {
        VEF_KEEP_ERRNO;
        take(log, &log->busy);
        put_events(lane);
        put_counts(log);
        code = recorded_failure(log, error);
        give(&log->busy);
    }
    give(&lane->busy);
    return code;
}

vef_code vef_log_event(vef_log *log, const vef_event *event, vef_error *error) {
    vef_lane *lane = find_lane(log, event->thread);
    if (!lane) {
        vef_code code = vef_log_lane(log, event->thread, &lane, error);
        if (code)
            return code;
    }
    return vef_lane_event(lane, event, error);
}

/* Room for the body of a block; the log is busy. */
static vef_code need_scratch(vef_log *log, size_t need, const char *what, vef_error *error) {
    return vef_grow(&log->scratch, &log->scratch_bytes, need, 1)
               ? VEF_OK
               : vef_fail_memory(error, what, need);
}

static vef_code put_scratch(vef_log *log, uint8_t kind, const uint8_t *end, vef_error *error) {
    vef_part part = {log->scratch, (uint32_t)(end - log->scratch)};
    vef_log_put_block(log, kind, &part, 1);
    return recorded_failure(log, error);
}

vef_code vef_log_communicator(vef_log *log, const vef_communicator *communicator,
                              vef_error *error) {
    size_t need = VEF_VARINT_BYTES + vef_communicator_bound(communicator, VEF_LISTS_OF_ONE);
    take(log, &log->busy);
    vef_code code = need_scratch(log, need, "a communicator", error);
    if (!code) {
        uint8_t *end = vef_put_varint(log->scratch, 1);
        end = vef_communicator_put(end, communicator, VEF_LISTS_OF_ONE);
        code = put_scratch(log, VEF_BLOCK_COMMUNICATORS, end, error);
    }
    give(&log->busy);
    return code;
}

vef_code vef_log_sites(vef_log *log, const vef_site *sites, size_t count, vef_error *error) {
    take(log, &log->busy);
    vef_code code = need_scratch(log, vef_sites_bound(sites, count), "a call site", error);
    if (!code)
        code = put_scratch(log, VEF_BLOCK_SITES, vef_sites_put(log->scratch, sites, count), error);
    give(&log->busy);
    return code;
}

static void count(vef_log *log, _Atomic uint64_t *counts, _Atomic uint64_t *ns, uint16_t call,
                  uint64_t times, uint64_t inside_ns) {
    if (call >= vef_call_count())
        return;
    atomic_fetch_add_explicit(&counts[call], times, memory_order_relaxed);
    atomic_fetch_add_explicit(&ns[call], inside_ns, memory_order_relaxed);
    atomic_store_explicit(&log->counted, true, memory_order_release);
}

void vef_log_count(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns) {
    count(log, log->counts, log->counts_ns, call, times, inside_ns);
}

void vef_log_left_out(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns) {
    count(log, log->left_out, log->left_out_ns, call, times, inside_ns);
}

void vef_log_measured(vef_log *log, const vef_measured *measured) {
    take(log, &log->busy);
    log->measured = *measured;
    if (log->good_bytes != log->reported_bytes)
        atomic_store_explicit(&log->counted, true, memory_order_release);
    give(&log->busy);
}

void vef_log_leave(const vef_log *log) {
    if (vef_log_is_open(log))
        close(log->file);
}

/* ---- flushing ---- */

vef_code vef_log_flush(vef_log *log, vef_error *error) {
    vef_lane *lane = atomic_load_explicit(&log->lanes, memory_order_acquire);
    for (; lane; lane = lane->next) {
        take(log, &lane->busy);
        take(log, &log->busy);
        put_events(lane);
        give(&log->busy);
        give(&lane->busy);
    }
    take(log, &log->busy);
    put_counts(log);
    vef_code code = recorded_failure(log, error);
    give(&log->busy);
    return code;
}

vef_code vef_log_close(vef_log *log, vef_log_end end, vef_error *error) {
    vef_code code = vef_log_flush(log, error);
    log->closing = true;
    if (!code) {
        uint8_t ended = log->stopped ? VEF_END_STOPPED : (uint8_t)end;
        vef_part part = {&ended, 1};
        if (log->stopped ||
            log->measured.run_ns > 0) /* the last block found no room, or was not new */
            atomic_store(&log->counted, true);
        put_counts(log);
        vef_log_put_block(log, VEF_BLOCK_END, &part, 1);
        code = recorded_failure(log, error);
    }
    free_lanes(log); /* their files belong to the log while it is locked */
    if (vef_log_is_open(log) && close(log->file) != 0 && !code)
        code = vef_fail_errno(error, "closing the log of task %u", log->task);
    free_log(log);
    return code;
}
