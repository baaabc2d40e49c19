/* Writing the log of one task. See log.h.
 *
 * Blocks are stored as they are, not compressed. bench/codec.c, on a halo exchange with noisy
 * times: encoding takes 30 ns an event and leaves 5.2 bytes of it; zlib at its fastest takes
 * another 90 ns to make that 2.9 bytes. Capture can spend 150 ns a call in all, and a log lives
 * only until it is merged; merging compresses. */
#include "traces/log.h"
#include "traces/block.h"
#include "traces/codec.h"
#include "traces/communicator.h"
#include "traces/preamble.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

struct vef_lane {
    vef_log *log;
    uint32_t thread;
    vef_lane *next;
};

struct vef_log {
    int file;
    vef_lane *lanes;
    uint32_t task;
    uint64_t good_bytes; /* the file holds whole blocks up to here */
    uint32_t event_blocks, communicators, count_blocks;
    vef_encoder encoder;
    bool counted; /* since the last block of counts */
    uint64_t *counts;
    uint8_t *scratch; /* for communicators and counts */
    size_t scratch_bytes;
    vef_error failure; /* of the first write that failed; code VEF_OK: none */
};

/* One write of all pieces. A file that grows beyond its limit (ulimit -f) must not kill the program
 * that is being recorded, so SIGXFSZ, which comes with EFBIG, waits and is taken away. */
static int write_pieces(int file, struct iovec *pieces, int count) {
    sigset_t limit, before, pending;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    int cause = 0;
    while (count > 0 && cause == 0) {
        ssize_t put = writev(file, pieces, count);
        if (put < 0) {
            cause = errno == EINTR ? 0 : errno;
            continue;
        }
        for (; count > 0 && (size_t)put >= pieces->iov_len; pieces++, count--)
            put -= (ssize_t)pieces->iov_len;
        if (count > 0) {
            pieces->iov_base = (char *)pieces->iov_base + put;
            pieces->iov_len -= (size_t)put;
        }
    }
    if (cause == EFBIG && !sigismember(&before, SIGXFSZ) && sigpending(&pending) == 0 &&
        sigismember(&pending, SIGXFSZ))
        sigtimedwait(&limit, NULL, &(struct timespec){0, 0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return cause;
}

static vef_code told(const vef_log *log, vef_error *error) {
    if (error)
        *error = log->failure;
    return log->failure.code;
}

/* Writes a block whose body is the columns given; on failure takes back what of it was written. */
static vef_code write_block(vef_log *log, vef_block *block, const uint8_t *const *columns,
                            vef_error *error) {
    if (log->failure.code)
        return told(log, error);
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    struct iovec pieces[1 + VEF_COLUMNS] = {{header, sizeof header}};
    int count = 1;
    uLong checksum = crc32(0, NULL, 0);
    block->task = log->task;
    block->method = VEF_METHOD_STORED;
    for (size_t i = 0; i < VEF_COLUMNS; i++) {
        if (block->column_bytes[i] == 0)
            continue;
        checksum = crc32(checksum, columns[i], block->column_bytes[i]);
        pieces[count++] = (struct iovec){(void *)(uintptr_t)columns[i], block->column_bytes[i]};
    }
    block->stored_bytes = (uint32_t)vef_block_raw_bytes(block);
    block->checksum = (uint32_t)checksum;
    vef_block_pack(block, header);
    int cause = write_pieces(log->file, pieces, count);
    if (cause == 0) {
        log->good_bytes += sizeof header + block->stored_bytes;
        return VEF_OK;
    }
    /* If even this fails, the reader still stops at the block that is not whole. */
    if (ftruncate(log->file, (off_t)log->good_bytes) != 0)
        errno = cause;
    errno = cause;
    vef_fail_errno(&log->failure, "writing the log of task %u (kept up to byte %llu)", log->task,
                   (unsigned long long)log->good_bytes);
    return told(log, error);
}

static vef_code write_preamble(vef_log *log, const vef_log_header *header, const char *path,
                               vef_error *error) {
    const char *none = "";
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
    };
    uint8_t *bytes = NULL;
    size_t size = 0;
    vef_code code = vef_preamble_make(vef_log_magic, "vef log of one task", fields,
                                      sizeof fields / sizeof *fields, &bytes, &size, error);
    if (code)
        return code;
    struct iovec piece = {bytes, size};
    errno = write_pieces(log->file, &piece, 1);
    if (errno != 0)
        code = vef_fail_errno(error, "writing %s", path);
    log->good_bytes = size;
    free(bytes);
    return code;
}

static void free_log(vef_log *log) {
    vef_encoder_free(&log->encoder);
    while (log->lanes) {
        vef_lane *next = log->lanes->next;
        free(log->lanes);
        log->lanes = next;
    }
    free(log->counts);
    free(log->scratch);
    free(log);
}

vef_code vef_log_open(const char *path, const vef_log_header *header, vef_log **opened,
                      vef_error *error) {
    *opened = NULL;
    vef_log *log = calloc(1, sizeof *log);
    if (!log)
        return vef_fail_memory(error, "a log", sizeof *log);
    log->task = header->task;
    log->counts = calloc(vef_call_count(), sizeof *log->counts);
    log->scratch_bytes = 16 * vef_call_count() + 1024 + 32 * (size_t)header->tasks;
    log->scratch = malloc(log->scratch_bytes);
    vef_code code = vef_encoder_init(&log->encoder, error);
    if (!code && (!log->counts || !log->scratch))
        code = vef_fail_memory(error, "a log", log->scratch_bytes);
    if (code) {
        free_log(log);
        return code;
    }
    log->file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (log->file < 0) {
        code = vef_fail_errno(error, "creating %s", path);
        free_log(log);
        return code;
    }
    code = write_preamble(log, header, path, error);
    if (code) {
        close(log->file);
        unlink(path);
        free_log(log);
        return code;
    }
    *opened = log;
    return VEF_OK;
}

static vef_code write_events(vef_log *log, vef_error *error) {
    vef_encoder *encoder = &log->encoder;
    if (encoder->events == 0)
        return log->failure.code ? told(log, error) : VEF_OK;
    vef_block block = {
        .kind = VEF_BLOCK_EVENTS,
        .sequence = log->event_blocks,
        .first_event = encoder->first_event,
        .first_request = encoder->first_request,
        .events = encoder->events,
        .requests = (uint32_t)(encoder->coder.next_request - encoder->first_request),
    };
    for (size_t i = 0; i < VEF_COLUMNS; i++)
        block.column_bytes[i] = (uint32_t)encoder->used[i];
    vef_code code = write_block(log, &block, (const uint8_t *const *)encoder->column, error);
    if (!code)
        log->event_blocks++;
    vef_encoder_restart(encoder);
    return code;
}

static vef_code write_counts(vef_log *log, vef_error *error) {
    uint8_t *to = log->scratch;
    for (size_t call = 0; call < vef_call_count(); call++) {
        if (log->counts[call] == 0)
            continue;
        to = vef_put_varint(to, call);
        to = vef_put_varint(to, log->counts[call]);
    }
    vef_block block = {.kind = VEF_BLOCK_COUNTS,
                       .sequence = log->count_blocks,
                       .column_bytes = {(uint32_t)(to - log->scratch)}};
    vef_code code = write_block(log, &block, (const uint8_t *[]){log->scratch, NULL, NULL}, error);
    if (!code) {
        log->count_blocks++;
        log->counted = false;
    }
    return code;
}

vef_code vef_log_flush(vef_log *log, vef_error *error) {
    vef_code code = write_events(log, error);
    if (!code && log->counted)
        code = write_counts(log, error);
    return code;
}

vef_code vef_log_lane(vef_log *log, uint32_t thread, vef_lane **lane, vef_error *error) {
    *lane = calloc(1, sizeof **lane);
    if (!*lane)
        return vef_fail_memory(error, "a thread's log", sizeof **lane);
    **lane = (vef_lane){log, thread, log->lanes};
    log->lanes = *lane;
    return VEF_OK;
}

vef_code vef_log_event(vef_log *log, const vef_event *event, vef_error *error) {
    if (log->failure.code)
        return told(log, error);
    vef_code code = vef_encode(&log->encoder, event, error);
    if (!code && vef_encoder_full(&log->encoder))
        code = vef_log_flush(log, error);
    return code;
}

vef_code vef_lane_event(vef_lane *lane, const vef_event *event, vef_error *error) {
    return vef_log_event(lane->log, event, error);
}

vef_code vef_log_communicator(vef_log *log, const vef_communicator *communicator,
                              vef_error *error) {
    size_t need = vef_communicator_bound(communicator, VEF_LISTS_OF_ONE);
    if (need > log->scratch_bytes) {
        uint8_t *grown = realloc(log->scratch, need);
        if (!grown)
            return vef_fail_memory(error, "a communicator", need);
        log->scratch = grown;
        log->scratch_bytes = need;
    }
    uint8_t *end = vef_communicator_put(log->scratch, communicator, VEF_LISTS_OF_ONE);
    vef_block block = {.kind = VEF_BLOCK_COMMUNICATORS,
                       .sequence = log->communicators,
                       .events = 1,
                       .column_bytes = {(uint32_t)(end - log->scratch)}};
    vef_code code = write_block(log, &block, (const uint8_t *[]){log->scratch, NULL, NULL}, error);
    if (!code)
        log->communicators++;
    return code;
}

void vef_log_count(vef_log *log, uint16_t call, uint64_t times, uint64_t inside_ns) {
    (void)inside_ns;
    if (call >= vef_call_count())
        return;
    log->counts[call] += times;
    log->counted = true;
}

vef_code vef_log_close(vef_log *log, vef_log_end end, vef_error *error) {
    vef_code code = vef_log_flush(log, error);
    if (!code) {
        uint8_t ended = (uint8_t)end;
        vef_block block = {.kind = VEF_BLOCK_END,
                           .first_event = log->encoder.first_event,
                           .first_request = log->encoder.first_request,
                           .column_bytes = {1}};
        code = write_block(log, &block, (const uint8_t *[]){&ended, NULL, NULL}, error);
    }
    if (close(log->file) != 0 && !code)
        code = vef_fail_errno(error, "closing the log of task %u", log->task);
    free_log(log);
    return code;
}
