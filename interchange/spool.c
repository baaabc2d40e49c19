/* Records of tasks in a temporary file. See spool.h. */
#include "interchange/spool.h"

#include "common/file.h"
#include "common/grow.h"
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_RECORDS = 64 };

typedef struct task_records {
    char *last;       /* the piece that is being filled; NULL: none */
    uint32_t *pieces; /* their places in the file */
    size_t piece_count, piece_room;
    uint32_t count; /* records, of all pieces */
} task_records;

struct vef_spool {
    vef_output file; /* never committed */
    uint32_t tasks, pieces;
    size_t record_bytes, piece_bytes;
    task_records *task;
    vef_error failure; /* VEF_OK: none */
};

vef_code vef_spool_open(const char *path, uint32_t tasks, size_t record_bytes, vef_spool **spool,
                        vef_error *error) {
    vef_spool *made = *spool = vef_calloc(1, sizeof *made);
    made->tasks = tasks;
    made->record_bytes = record_bytes;
    made->piece_bytes = PIECE_RECORDS * record_bytes;
    made->task = vef_calloc(tasks, sizeof *made->task);
    return vef_output_open(&made->file, path, error);
}

void vef_spool_close(vef_spool *spool) {
    if (!spool)
        return;
    for (uint32_t i = 0; i < spool->tasks; i++) {
        free(spool->task[i].last);
        free(spool->task[i].pieces);
    }
    vef_output_discard(&spool->file);
    free(spool->task);
    free(spool);
}

static void put_piece(vef_spool *spool, task_records *to) {
    vef_grow(&to->pieces, &to->piece_room, to->piece_count + 1, sizeof *to->pieces);
    if (pwrite(fileno(spool->file.stream), to->last, spool->piece_bytes,
               (off_t)(spool->pieces * spool->piece_bytes)) != (ssize_t)spool->piece_bytes)
        vef_fail_errno(&spool->failure, "writing a temporary file");
    to->pieces[to->piece_count++] = spool->pieces++;
}

void vef_spool_add(vef_spool *spool, uint32_t task, const void *record) {
    task_records *to = &spool->task[task];
    const uint32_t in_last = to->count % PIECE_RECORDS;
    if (spool->failure.code)
        return;
    if (to->count == UINT32_MAX || spool->pieces == UINT32_MAX) {
        vef_fail(&spool->failure, VEF_INVALID, "more than 2^32 records");
        return;
    }
    if (!to->last)
        to->last = vef_malloc(spool->piece_bytes);
    if (in_last == 0 && to->count > 0)
        put_piece(spool, to);
    memcpy(to->last + in_last * spool->record_bytes, record, spool->record_bytes);
    to->count++;
}

uint32_t vef_spool_count(const vef_spool *spool, uint32_t task) {
    return spool->task[task].count;
}

vef_code vef_spool_read(vef_spool *spool, uint32_t task, uint32_t first, uint32_t count, void *to,
                        vef_error *error) {
    const task_records *from = &spool->task[task];
    if (spool->failure.code && error)
        *error = spool->failure;
    if (spool->failure.code)
        return spool->failure.code;
    for (char *at = to; count > 0;) {
        const uint32_t piece = first / PIECE_RECORDS, skipped = first % PIECE_RECORDS;
        const uint32_t rest = PIECE_RECORDS - skipped, part = count < rest ? count : rest;
        const size_t offset = skipped * spool->record_bytes, bytes = part * spool->record_bytes;
        if (piece == from->piece_count)
            memcpy(at, from->last + offset, bytes);
        else if (pread(fileno(spool->file.stream), at, bytes,
                       (off_t)(from->pieces[piece] * spool->piece_bytes + offset)) !=
                 (ssize_t)bytes)
            return vef_fail_errno(error, "reading a temporary file");
        at += bytes;
        first += part;
        count -= part;
    }
    return VEF_OK;
}
