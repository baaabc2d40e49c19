/* Writes blocks to the file of a log and enforces its size limit. See log.h and log_state.h. */
#include "common/system/descriptor.h"
#include "traces/log/lock.h"
#include "traces/log/log_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zlib.h>

enum { PARTS = 1 + VEF_COLUMNS }; /* of a body, at most */

/* ---- the file ---- */

/* The lock keeps an opening of its own: a child that was created without the handlers of fork
 * inherits the descriptor, but not the lock. */
int vef_log_open_file(const char *path, int flags, void **lock) {
    int file = vef_open_high(path, O_RDWR | flags);
    *lock = file < 0 ? NULL : vef_log_lock(file);
    int other = *lock ? vef_open_high(path, O_RDWR) : -1;
    if (other < 0) {
        vef_log_unlock(*lock);
        *lock = NULL;
        return file;
    }
    close(file);
    return other;
}

void vef_log_take_file(vef_log *log, int file) {
    struct stat status = {0};
    fstat(file, &status);
    log->file = file;
    log->device = status.st_dev;
    log->inode = status.st_ino;
}

bool vef_log_is_open(const vef_log *log) {
    struct stat now;
    return fstat(log->file, &now) == 0 && now.st_dev == log->device && now.st_ino == log->inode;
}

/* Opens the file again if the program has closed its descriptor. 0 or an errno. */
static int reach_file(vef_log *log) {
    if (vef_log_is_open(log))
        return 0;
    int file = vef_open_high(log->path, O_RDWR);
    if (file < 0)
        return errno;
    log->file = file;
    if (vef_log_is_open(log))
        return 0;
    close(file);
    log->file = -1;
    return ESTALE; /* another file has its name now */
}

/* Writes all parts at once. */
static int write_pieces(int file, struct iovec *pieces, int count, uint64_t offset) {
    uint64_t end = offset;
    for (int i = 0; i < count; i++)
        end += pieces[i].iov_len;
    if (!vef_size_is_allowed(end))
        return EFBIG;
    while (count > 0) {
        ssize_t put = pwritev(file, pieces, count, (off_t)offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return put < 0 ? errno : EIO;
        offset += (uint64_t)put;
        for (; count > 0 && (size_t)put >= pieces->iov_len; pieces++, count--)
            put -= (ssize_t)pieces->iov_len;
        if (count > 0) {
            pieces->iov_base = (char *)pieces->iov_base + put;
            pieces->iov_len -= (size_t)put;
        }
    }
    return 0;
}

int vef_log_put_bytes(int file, const void *bytes, size_t size, uint64_t offset) {
    struct iovec piece = {(void *)(uintptr_t)bytes, size};
    return write_pieces(file, &piece, 1, offset);
}

/* ---- a ring: rewrite the file without its older events ---- */

/* Calls `each` with every block of the file and its header; stops at the first errno. */
typedef int block_visit(vef_log *log, const vef_block *block, uint64_t offset, void *context);

static int visit_blocks(vef_log *log, block_visit *each, void *context) {
    for (uint64_t position = log->first_block; position < log->good_bytes;) {
        uint8_t header[VEF_BLOCK_HEADER_BYTES];
        vef_block block;
        ssize_t got = pread(log->file, header, sizeof header, (off_t)position);
        if (got != sizeof header || !vef_block_unpack(header, &block))
            return got < 0 ? errno : EIO; /* differs from what was written */
        int cause = each(log, &block, position, context);
        if (cause)
            return cause;
        position += sizeof header + block.stored_bytes;
    }
    return 0;
}

typedef struct renewal {
    int file;
    uint64_t bytes;       /* of it so far */
    uint64_t event_bytes; /* blocks of events in the old file */
    uint64_t drop_bytes;  /* number of these to drop */
    uint64_t seen_bytes;  /* of these, already passed */
} renewal;

static int copy_bytes(vef_log *log, renewal *to, uint64_t offset, uint64_t size) {
    while (size > 0) {
        size_t wanted = size < VEF_LOG_COPY_BYTES ? (size_t)size : VEF_LOG_COPY_BYTES;
        ssize_t got = pread(log->file, log->copy, wanted, (off_t)offset);
        if (got <= 0)
            return got < 0 ? errno : EIO;
        int cause = vef_log_put_bytes(to->file, log->copy, (size_t)got, to->bytes);
        if (cause)
            return cause;
        offset += (uint64_t)got;
        size -= (uint64_t)got;
        to->bytes += (uint64_t)got;
    }
    return 0;
}

static int add_up(vef_log *log, const vef_block *block, uint64_t offset, void *context) {
    (void)log;
    (void)offset;
    renewal *sum = context;
    if (block->kind == VEF_BLOCK_EVENTS)
        sum->event_bytes += VEF_BLOCK_HEADER_BYTES + block->stored_bytes;
    return 0;
}

/* Adds the events of a block to the summary. */
static int drop(vef_log *log, const vef_block *dropped, uint64_t offset) {
    vef_block block;
    vef_piece *pieces = NULL;
    uint8_t *raw = NULL;
    uint32_t count = 0;
    const uint8_t *columns, *column[VEF_COLUMNS];
    const vef_event *event;
    vef_decoder *decoder = calloc(1, sizeof *decoder);
    vef_code code = VEF_NO_MEMORY;
    if (decoder)
        code = vef_block_read(log->file, offset + VEF_BLOCK_HEADER_BYTES + dropped->stored_bytes,
                              offset, &block, &raw, NULL);
    if (!code)
        code = vef_pieces_get(raw, block.raw_bytes, &pieces, &count, &columns, NULL, NULL);
    if (!code) { /* of one piece */
        vef_pieces_columns(pieces, 1, columns, column);
        decoder->sites = log->sites;
        vef_decoder_restart(decoder, pieces, column, log->gap_unit);
    }
    while (!code && (code = vef_decode(decoder, &event, NULL)) == VEF_OK && event)
        code = vef_before_event(&log->before, event, NULL);
    if (decoder)
        vef_decoder_free(decoder);
    free(decoder);
    free(pieces);
    free(raw);
    return code == VEF_OK ? 0 : code == VEF_NO_MEMORY ? ENOMEM : EIO;
}

/* The summary is at the beginning of the new file. */
static int put_before(vef_log *log, renewal *to) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES], *bytes = NULL;
    size_t size = 0;
    if (vef_before_put(&log->before, &bytes, &size, NULL) != VEF_OK)
        return ENOMEM;
    vef_block block = {.kind = VEF_BLOCK_BEFORE,
                       .method = VEF_METHOD_STORED,
                       .raw_bytes = (uint32_t)size,
                       .stored_bytes = (uint32_t)size,
                       .checksum = (uint32_t)crc32(crc32(0, NULL, 0), bytes, (uInt)size)};
    vef_block_pack(&block, header);
    int cause = vef_log_put_bytes(to->file, header, sizeof header, to->bytes);
    if (!cause)
        cause = vef_log_put_bytes(to->file, bytes, size, to->bytes + sizeof header);
    to->bytes += sizeof header + size;
    free(bytes);
    return cause;
}

static int drop_older(vef_log *log, const vef_block *block, uint64_t offset, void *context) {
    renewal *to = context;
    if (block->kind != VEF_BLOCK_EVENTS)
        return 0;
    to->seen_bytes += VEF_BLOCK_HEADER_BYTES + block->stored_bytes;
    return to->seen_bytes <= to->drop_bytes ? drop(log, block, offset) : 0;
}

/* Counts are sums, so the next block of counts replaces the old ones. */
static int keep_newer(vef_log *log, const vef_block *block, uint64_t offset, void *context) {
    renewal *to = context;
    uint64_t size = VEF_BLOCK_HEADER_BYTES + block->stored_bytes;
    if (block->kind == VEF_BLOCK_BEFORE)
        return 0; /* a newer one has been written */
    if (block->kind == VEF_BLOCK_COUNTS || block->kind == VEF_BLOCK_MEASURED) {
        atomic_store(&log->counted, true);
        return 0;
    }
    if (block->kind == VEF_BLOCK_EVENTS) {
        to->seen_bytes += size;
        if (to->seen_bytes <= to->drop_bytes)
            return 0;
    }
    return copy_bytes(log, to, offset, size);
}

/* Drops the older half of the events. Returns 0 or an errno, and then keeps the old file. */
static int renew(vef_log *log) {
    renewal to = {0};
    void *lock;
    int cause = visit_blocks(log, add_up, &to);
    if (cause || to.event_bytes == 0)
        return cause;
    to.drop_bytes = to.event_bytes / 2;
    to.file = vef_log_open_file(log->beside, O_CREAT | O_EXCL, &lock);
    if (to.file < 0)
        cause = errno;
    else if (log->lock && !lock)
        cause = ENOLCK;
    if (!cause)
        cause = copy_bytes(log, &to, 0, log->first_block);
    /* With several threads, dropped blocks contain events that are newer than some kept ones, so no
     * summary is possible. */
    const vef_lane *lanes = atomic_load(&log->lanes);
    bool several = lanes && lanes->next;
    if (!cause && !several)
        cause = visit_blocks(log, drop_older, &to);
    to.seen_bytes = 0;
    if (!cause && !several)
        cause = put_before(log, &to);
    if (!cause)
        cause = visit_blocks(log, keep_newer, &to);
    if (!cause && rename(log->beside, log->path) != 0)
        cause = errno;
    if (cause) {
        unlink(log->beside);
        if (to.file >= 0)
            close(to.file);
        vef_log_unlock(lock);
        return cause;
    }
    close(log->file);
    vef_log_unlock(log->lock);
    vef_log_take_file(log, to.file);
    log->lock = lock;
    log->good_bytes = to.bytes;
    return 0;
}

/* ---- blocks ---- */

/* Reserved for the last block of each further thread. */
static uint64_t further_lanes_bytes(const vef_log *log) {
    uint64_t lanes = 0;
    for (const vef_lane *lane = atomic_load(&log->lanes); lane; lane = lane->next)
        lanes++;
    return lanes > 1 ? (lanes - 1) * VEF_LOG_LAST_BLOCK_BYTES : 0;
}

/* Whether there is room for a block; a ring makes room.
 *
 * A log without ring stops while there is room for the buffers of the threads. From then on no
 * thread records another event (vef_lane_event), and each writes its last block: so the log lacks
 * no event that precedes a recorded event of another thread. */
static bool fits(vef_log *log, uint64_t size) {
    const uint64_t reserve = log->closing ? 0 : VEF_LOG_RESERVE_BYTES;
    const uint64_t needed = log->good_bytes + size + reserve;
    if (log->limit == 0)
        return true;
    if (!log->ring && !log->closing && needed + further_lanes_bytes(log) > log->limit)
        atomic_store(&log->stopped, true);
    if (!log->ring || needed <= log->limit)
        return needed <= log->limit;
    int cause = renew(log);
    if (cause)
        atomic_store(&log->failed, cause);
    return !cause && log->good_bytes + size + reserve <= log->limit;
}

void vef_log_put_block(vef_log *log, uint8_t kind, const vef_part *parts, unsigned count) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    struct iovec pieces[1 + PARTS] = {{header, sizeof header}};
    if (atomic_load(&log->failed) || (log->stopped && !log->closing && kind != VEF_BLOCK_EVENTS))
        return;
    int used = 1;
    vef_block block = {.kind = kind, .method = VEF_METHOD_STORED};
    uLong checksum = crc32(0, NULL, 0);
    for (unsigned i = 0; i < count; i++) {
        if (parts[i].size == 0)
            continue;
        checksum = crc32(checksum, parts[i].bytes, parts[i].size);
        pieces[used++] = (struct iovec){(void *)(uintptr_t)parts[i].bytes, parts[i].size};
        block.raw_bytes += parts[i].size;
    }
    block.stored_bytes = block.raw_bytes;
    block.checksum = (uint32_t)checksum;
    vef_block_pack(&block, header);
    uint64_t size = sizeof header + (uint64_t)block.stored_bytes;
    int cause = reach_file(log);
    if (cause) {
        atomic_store(&log->failed, cause);
        return;
    }
    if (!fits(log, size)) {
        atomic_store(&log->stopped, true);
        return;
    }
    cause = write_pieces(log->file, pieces, used, log->good_bytes);
    if (cause == 0) {
        log->good_bytes += size;
        return;
    }
    /* If even this fails, the reader still stops at the incomplete block. */
    int ignored = ftruncate(log->file, (off_t)log->good_bytes);
    (void)ignored;
    atomic_store(&log->failed, cause);
}
