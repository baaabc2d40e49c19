/* Operations of tasks in a temporary file: see vef_text.h. An item is its kind, a byte, and its
 * numbers, seven bits a byte. */
#include "common/memory.h"
#include "interchange/vef_text/vef_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How many numbers an item has. */
static const uint8_t numbers_of[] = {
    [VEF_SPOOL_COMPUTE] = 1, [VEF_SPOOL_SEND] = 3, [VEF_SPOOL_RECEIVE] = 3,
    [VEF_SPOOL_WAIT] = 1,    [VEF_SPOOL_FOR] = 1,  [VEF_SPOOL_COLLECTIVE] = 4,
    [VEF_SPOOL_END] = 0,
};

void vef_spool_init(vef_spool *spool, FILE *file, uint32_t tasks) {
    *spool = (vef_spool){.file = file, .tasks = tasks};
    spool->begins = vef_calloc(tasks + 1ull, sizeof *spool->begins);
}

void vef_spool_free(vef_spool *spool) {
    free(spool->begins);
    *spool = (vef_spool){0};
}

void vef_spool_begin_task(vef_spool *spool, uint32_t task) {
    spool->begins[task] = (uint64_t)ftello(spool->file);
}

void vef_spool_put(vef_spool *spool, const vef_spool_item *item) {
    const uint64_t numbers[] = {item->a, item->b, item->c, item->d};
    putc((int)item->kind, spool->file);
    for (unsigned i = 0; i < numbers_of[item->kind]; i++) {
        uint64_t value = numbers[i];
        for (; value > 0x7f; value >>= 7)
            putc((int)(value & 0x7f) | 0x80, spool->file);
        putc((int)value, spool->file);
    }
}

vef_code vef_spool_finish(vef_spool *spool, vef_error *error) {
    spool->begins[spool->tasks] = (uint64_t)ftello(spool->file);
    if (fflush(spool->file) || ferror(spool->file))
        return vef_fail_errno(error, "writing a temporary file");
    return VEF_OK;
}

void vef_spool_open(const vef_spool *spool, uint32_t task, vef_spool_reader *reader) {
    reader->at = spool->begins[task];
    reader->end = spool->begins[task + 1];
    reader->used = reader->filled = 0;
}

/* Past the end: 0, and `failed`. */
static uint8_t next_byte(const vef_spool *spool, vef_spool_reader *reader, bool *failed) {
    if (reader->used == reader->filled) {
        size_t wanted = sizeof reader->buffer;
        if (reader->end - reader->at < wanted)
            wanted = (size_t)(reader->end - reader->at);
        const ssize_t got =
            wanted ? pread(fileno(spool->file), reader->buffer, wanted, (off_t)reader->at) : 0;
        *failed |= got <= 0;
        if (got <= 0)
            return 0;
        reader->at += (uint64_t)got;
        reader->filled = (uint32_t)got;
        reader->used = 0;
    }
    return reader->buffer[reader->used++];
}

vef_code vef_spool_next(const vef_spool *spool, vef_spool_reader *reader, vef_spool_item *item,
                        vef_error *error) {
    uint64_t numbers[4] = {0};
    bool failed = false;
    item->kind = (vef_spool_kind)next_byte(spool, reader, &failed);
    for (unsigned i = 0; i < numbers_of[item->kind] && !failed; i++) {
        uint8_t byte = 0x80;
        for (unsigned shift = 0; byte & 0x80 && shift < 64; shift += 7) {
            byte = next_byte(spool, reader, &failed);
            numbers[i] |= (uint64_t)(byte & 0x7f) << shift;
        }
    }
    item->a = numbers[0];
    item->b = numbers[1];
    item->c = numbers[2];
    item->d = numbers[3];
    return failed ? vef_fail_errno(error, "reading a temporary file") : VEF_OK;
}
