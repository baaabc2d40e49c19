/* The records of a Paraver trace by task. See spool.h. */
#include "interchange/paraver/spool.h"

#include "common/file.h"
#include "common/grow.h"
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE_RECORDS = 64 };

typedef struct of_task {
    vef_paraver_record *last; /* the piece that is being filled; NULL: none */
    uint32_t *pieces;         /* their places in the file */
    size_t piece_room, piece_count;
    uint32_t in_last, records;
} of_task;

struct vef_paraver_spool {
    vef_output file; /* never committed */
    uint32_t tasks, pieces;
    of_task *task;
};

enum { PIECE_BYTES = PIECE_RECORDS * sizeof(vef_paraver_record) };

vef_code vef_paraver_spool_open(const char *path, uint32_t tasks, vef_paraver_spool **spool,
                                vef_error *error) {
    vef_paraver_spool *self = *spool = vef_calloc(1, sizeof *self);
    self->tasks = tasks;
    self->task = vef_calloc(tasks, sizeof *self->task);
    return vef_output_open(&self->file, path, error);
}

void vef_paraver_spool_close(vef_paraver_spool *self) {
    if (!self)
        return;
    for (uint32_t i = 0; i < self->tasks; i++) {
        free(self->task[i].last);
        free(self->task[i].pieces);
    }
    vef_output_discard(&self->file);
    free(self->task);
    free(self);
}

static vef_code put_piece(vef_paraver_spool *self, of_task *to, vef_error *error) {
    vef_grow(&to->pieces, &to->piece_room, to->piece_count + 1, sizeof *to->pieces);
    if (pwrite(fileno(self->file.stream), to->last, PIECE_BYTES,
               (off_t)self->pieces * PIECE_BYTES) != PIECE_BYTES)
        return vef_fail_errno(error, "writing a temporary file");
    to->pieces[to->piece_count++] = self->pieces++;
    to->in_last = 0;
    return VEF_OK;
}

vef_code vef_paraver_spool_add(vef_paraver_spool *self, uint32_t task, vef_paraver_record record,
                               vef_error *error) {
    of_task *to = &self->task[task];
    vef_code code = VEF_OK;
    if (to->records == UINT32_MAX || self->pieces == UINT32_MAX)
        return vef_fail(error, VEF_INVALID, "more than 2^32 records");
    if (!to->last)
        to->last = vef_malloc(PIECE_BYTES);
    if (to->in_last == PIECE_RECORDS)
        code = put_piece(self, to, error);
    if (code)
        return code;
    record.sequence = to->records++;
    to->last[to->in_last++] = record;
    return VEF_OK;
}

vef_code vef_paraver_spool_read(vef_paraver_spool *self, uint32_t task, vef_paraver_record **list,
                                size_t *room, size_t *count, vef_error *error) {
    const of_task *from = &self->task[task];
    *count = from->records;
    vef_grow(list, room, *count + 1, sizeof **list);
    vef_paraver_record *to = *list;
    vef_code code = VEF_OK;
    for (size_t i = 0; !code && i < from->piece_count; i++, to += PIECE_RECORDS)
        if (pread(fileno(self->file.stream), to, PIECE_BYTES,
                  (off_t)from->pieces[i] * PIECE_BYTES) != PIECE_BYTES)
            code = vef_fail_errno(error, "reading a temporary file");
    if (!code && from->in_last)
        memcpy(to, from->last, from->in_last * sizeof *to);
    return code;
}
