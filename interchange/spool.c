/* Bytes of tasks in a temporary file. See spool.h. */
#include "interchange/spool.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "common/system/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct task_bytes {
    char *last;       /* the piece that is being filled; NULL: none */
    uint32_t *pieces; /* their places in the file */
    size_t piece_count, piece_room;
    size_t in_last;
} task_bytes;

struct vef_spool {
    vef_output file; /* never committed */
    uint32_t tasks, pieces;
    size_t piece_bytes;
    task_bytes *task;
    vef_error failure; /* VEF_OK: none */
};

vef_code vef_spool_open(const char *path, uint32_t tasks, size_t piece_bytes, vef_spool **spool,
                        vef_error *error) {
    vef_spool *made = *spool = vef_calloc(1, sizeof *made);
    made->tasks = tasks;
    made->piece_bytes = piece_bytes;
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

static void put_piece(vef_spool *spool, task_bytes *to) {
    if (spool->pieces == UINT32_MAX) {
        vef_fail(&spool->failure, VEF_INVALID, "more than 2^32 pieces of a temporary file");
        return;
    }
    if (pwrite(fileno(spool->file.stream), to->last, spool->piece_bytes,
               (off_t)(spool->pieces * spool->piece_bytes)) != (ssize_t)spool->piece_bytes)
        vef_fail_errno(&spool->failure, "writing a temporary file");
    *VEF_NEW_ITEM(to->pieces, to->piece_count, to->piece_room) = spool->pieces++;
    to->in_last = 0;
}

void vef_spool_add(vef_spool *spool, uint32_t task, const void *data, size_t bytes) {
    task_bytes *to = &spool->task[task];
    if (!to->last)
        to->last = vef_malloc(spool->piece_bytes);
    for (const char *from = data; bytes > 0 && !spool->failure.code;) {
        const size_t room = spool->piece_bytes - to->in_last, part = bytes < room ? bytes : room;
        memcpy(to->last + to->in_last, from, part);
        to->in_last += part;
        from += part;
        bytes -= part;
        if (to->in_last == spool->piece_bytes)
            put_piece(spool, to);
    }
}

uint64_t vef_spool_bytes(const vef_spool *spool, uint32_t task) {
    const task_bytes *of_task = &spool->task[task];
    return of_task->piece_count * spool->piece_bytes + of_task->in_last;
}

vef_code vef_spool_read(vef_spool *spool, uint32_t task, uint64_t from, size_t bytes, void *to,
                        vef_error *error) {
    const task_bytes *of_task = &spool->task[task];
    if (spool->failure.code && error)
        *error = spool->failure;
    if (spool->failure.code)
        return spool->failure.code;
    for (char *next = to; bytes > 0;) {
        const uint64_t piece = from / spool->piece_bytes;
        const size_t skipped = from % spool->piece_bytes, rest = spool->piece_bytes - skipped;
        const size_t part = bytes < rest ? bytes : rest;
        if (piece == of_task->piece_count)
            memcpy(next, of_task->last + skipped, part);
        else if (pread(fileno(spool->file.stream), next, part,
                       (off_t)(of_task->pieces[piece] * spool->piece_bytes + skipped)) !=
                 (ssize_t)part)
            return vef_fail_errno(error, "reading a temporary file");
        next += part;
        from += part;
        bytes -= part;
    }
    return VEF_OK;
}
