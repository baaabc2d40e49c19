/* Compressing and writing the blocks of a trace. See writer_state.h.
 *
 * Compression takes longer than anything else in writing, so helper threads compress the blocks of
 * pieces while the caller encodes the next ones. Blocks do not depend on each other, and are
 * written in their order: the file is the same with any number of threads. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/threads/pool.h"
#include "traces/file/writer_state.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

vef_code vef_writer_put(vef_writer *writer, const void *bytes, size_t size, vef_error *error) {
    writer->offset += size;
    return vef_output_write(&writer->output, bytes, size, error);
}

/* Compresses the parts one after another, each with separate Huffman codes. */
static void deflate_parts(vef_writer_packed *to, const vef_writer_part *parts, size_t count,
                          size_t bound) {
    z_stream zip = {.next_out = to->bytes, .avail_out = (uInt)bound};
    if (deflateInit2(&zip, parts[0].level, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        vef_lost(1 << 18);
    int state = Z_OK;
    for (size_t i = 0; i < count && state == Z_OK; i++) {
        if (i > 0 && parts[i].level != parts[i - 1].level)
            deflateParams(&zip, parts[i].level, Z_DEFAULT_STRATEGY);
        zip.next_in = (Bytef *)(uintptr_t)parts[i].bytes;
        zip.avail_in = (uInt)parts[i].size;
        state = deflate(&zip, i + 1 < count ? Z_BLOCK : Z_FINISH);
        if (state == Z_BUF_ERROR) /* empty part */
            state = Z_OK;
    }
    to->block.stored_bytes = (uint32_t)zip.total_out;
    deflateEnd(&zip);
    if (state != Z_STREAM_END)
        vef_lost(bound);
}

/* A block of the parts, with its checksum. */
static vef_code pack(vef_writer_packed *to, uint8_t kind, uint8_t method,
                     const vef_writer_part *parts, size_t count, vef_error *error) {
    uint64_t raw = 0;
    for (size_t i = 0; i < count; i++)
        raw += parts[i].size;
    if (raw > VEF_BLOCK_BODY_LIMIT)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "a block of %llu bytes: more communicators, tasks or events, or an event "
                        "with longer lists, than a trace can hold",
                        (unsigned long long)raw);
    to->block = (vef_block){.kind = kind, .method = method, .raw_bytes = (uint32_t)raw};
    const size_t bound = compressBound((uLong)raw) + 64;
    vef_grow(&to->bytes, &to->room, bound, 1);
    deflate_parts(to, parts, count, bound);
    if (to->block.stored_bytes >= raw && method != VEF_METHOD_SPLIT) {
        to->block.method = VEF_METHOD_STORED; /* small or random: stored */
        to->block.stored_bytes = 0;
        for (size_t i = 0; i < count; i++) {
            if (parts[i].size)
                memcpy(to->bytes + to->block.stored_bytes, parts[i].bytes, parts[i].size);
            to->block.stored_bytes += (uint32_t)parts[i].size;
        }
    }
    to->block.checksum = (uint32_t)crc32(0, to->bytes, to->block.stored_bytes);
    return VEF_OK;
}

static vef_code put_packed(vef_writer *writer, const vef_writer_packed *packed, vef_error *error) {
    uint8_t header[VEF_BLOCK_HEADER_BYTES];
    vef_block_pack(&packed->block, header);
    const vef_code code = vef_writer_put(writer, header, sizeof header, error);
    return code ? code : vef_writer_put(writer, packed->bytes, packed->block.stored_bytes, error);
}

vef_code vef_writer_put_block(vef_writer *writer, uint8_t kind, uint8_t *bytes, const uint8_t *end,
                              vef_error *error) {
    const vef_writer_part body = {bytes, (size_t)(end - bytes), VEF_PAYLOAD_LEVEL};
    const vef_code code = pack(&writer->packed, kind, VEF_METHOD_ZLIB, &body, 1, error);
    free(bytes);
    return code ? code : put_packed(writer, &writer->packed, error);
}

/* ---- blocks of pieces ---- */

static vef_code pack_pieces(vef_writer_job *job, vef_error *error) {
    vef_split split;
    const uint32_t count = (uint32_t)job->count;
    vef_code code = vef_split_make(&split, job->pieces, count, job->column, error);
    if (code)
        return code;
    uint8_t *directory = vef_malloc(vef_pieces_bound(count));
    uint8_t *end = vef_pieces_put(directory, split.pieces, count);
    vef_writer_part parts[2 + VEF_COLUMNS] = {
        {directory, (size_t)(end - directory), VEF_PAYLOAD_LEVEL}};
    for (unsigned c = 0; c < VEF_COLUMNS; c++)
        parts[1 + c] =
            split.classes[c]
                ? (vef_writer_part){split.classes[c], split.class_bytes[c], VEF_TIMES_LEVEL}
                : (vef_writer_part){job->column[c], job->used[c], VEF_PAYLOAD_LEVEL};
    parts[1 + VEF_COLUMNS] = (vef_writer_part){split.bits, split.bit_bytes, VEF_TIMES_LEVEL};
    code = pack(&job->packed, VEF_BLOCK_EVENTS, VEF_METHOD_SPLIT, parts, 2 + VEF_COLUMNS, error);
    free(directory);
    vef_split_free(&split);
    return code;
}

/* On any thread. */
static void work(void *context, uint32_t step, uint32_t place) {
    (void)step;
    vef_writer_job *job = &((vef_writer *)context)->job[place];
    job->code = pack_pieces(job, &job->error);
}

static void note_places(vef_writer *writer, const vef_piece *pieces, size_t count,
                        uint64_t offset) {
    const size_t places = writer->place_count + count;
    vef_grow(&writer->places, &writer->place_capacity, places, sizeof *writer->places);
    for (size_t i = 0; i < count; i++) {
        writer->places[writer->place_count++] =
            (vef_writer_place){offset, pieces[i].task, pieces[i].thread, (uint32_t)i};
        writer->task[pieces[i].task].streams[pieces[i].thread].pieces++;
    }
}

/* Writes the oldest block that is not written yet. */
static vef_code put_oldest(vef_writer *writer, vef_error *error) {
    const vef_writer_job *job = &writer->job[vef_pool_oldest(writer->packers)];
    vef_pool_collect(writer->packers);
    if (job->code) {
        if (error)
            *error = job->error;
        return job->code;
    }
    const uint64_t offset = writer->offset;
    const vef_code code = put_packed(writer, &job->packed, error);
    if (code == VEF_OK)
        note_places(writer, job->pieces, job->count, offset);
    return code;
}

static void copy_pieces(vef_writer_job *job, const vef_piece *pieces, uint32_t count,
                        uint8_t *const *column, const size_t *bytes) {
    vef_grow(&job->pieces, &job->piece_room, count, sizeof *job->pieces);
    memcpy(job->pieces, pieces, count * sizeof *pieces);
    job->count = count;
    for (unsigned i = 0; i < VEF_COLUMNS; i++) {
        vef_grow(&job->column[i], &job->room[i], bytes[i] + 1, 1);
        if (bytes[i] > 0)
            memcpy(job->column[i], column[i], bytes[i]);
        job->used[i] = bytes[i];
    }
}

vef_code vef_writer_put_pieces(vef_writer *writer, const vef_piece *pieces, uint32_t count,
                               uint8_t *const *column, const size_t *bytes, vef_error *error) {
    if (!writer->packers) {
        writer->packing =
            (vef_pool_job){.context = writer, .places = VEF_WRITER_JOBS, .work = work};
        writer->packers = vef_pool_create(vef_workers_for(VEF_WRITER_JOBS), VEF_WRITER_JOBS);
    }
    vef_code code = VEF_OK;
    if (vef_pool_pending(writer->packers) == VEF_WRITER_JOBS)
        code = put_oldest(writer, error);
    if (code)
        return code;
    copy_pieces(&writer->job[vef_pool_next(writer->packers)], pieces, count, column, bytes);
    vef_pool_offer(writer->packers, &writer->packing);
    return VEF_OK;
}

vef_code vef_writer_settle(vef_writer *writer, vef_error *error) {
    vef_code code = VEF_OK;
    while (!code && writer->packers && vef_pool_pending(writer->packers) > 0)
        code = put_oldest(writer, error);
    return code;
}

void vef_writer_free_blocks(vef_writer *writer) {
    vef_pool_destroy(writer->packers);
    for (unsigned j = 0; j < VEF_WRITER_JOBS; j++) {
        vef_writer_job *job = &writer->job[j];
        for (unsigned i = 0; i < VEF_COLUMNS; i++)
            free(job->column[i]);
        free(job->pieces);
        free(job->packed.bytes);
    }
    free(writer->packed.bytes);
}
