/* The directory of a block of events, field by field, since a field is similar in all pieces. See
 * piece.h. */
#include "traces/format/piece.h"
#include "common/memory.h"
#include "traces/format/varint.h"

#include <assert.h>
#include <stdlib.h>

/* The fields in their order. */
static const struct {
    size_t offset;
    bool wide; /* 64 bits, else 32 */
} fields[] = {
#define WIDE(member)                                                                               \
    { offsetof(vef_piece, member), true }
#define NARROW(member)                                                                             \
    { offsetof(vef_piece, member), false }
    NARROW(task),
    NARROW(thread),
    NARROW(events),
    WIDE(first_event),
    WIDE(first_request),
    WIDE(requests),
    WIDE(first_tick),
    NARROW(column_bytes[0]),
    NARROW(column_bytes[1]),
    NARROW(column_bytes[2]),
    NARROW(column_bytes[3]),
#undef WIDE
#undef NARROW
};
enum { TASK, FIELDS = sizeof fields / sizeof *fields };
static_assert(VEF_COLUMNS == 4, "each column has a field");

size_t vef_pieces_bound(uint32_t count) {
    return VEF_VARINT_BYTES * (1 + (size_t)FIELDS * count);
}

static uint64_t field_of(const vef_piece *piece, unsigned field) {
    const void *member = (const char *)piece + fields[field].offset;
    return fields[field].wide ? *(const uint64_t *)member : *(const uint32_t *)member;
}

uint8_t *vef_pieces_put(uint8_t *to, const vef_piece *pieces, uint32_t count) {
    to = vef_put_varint(to, count);
    for (unsigned field = 0; field < FIELDS; field++) {
        uint64_t before = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint64_t value = field_of(&pieces[i], field);
            to = field == TASK ? vef_put_signed(to, (int64_t)(value - before))
                               : vef_put_varint(to, value);
            before = value;
        }
    }
    return to;
}

static void set_field(vef_piece *piece, unsigned field, uint64_t value, vef_cursor *from) {
    void *member = (char *)piece + fields[field].offset;
    if (fields[field].wide)
        *(uint64_t *)member = value;
    else
        *(uint32_t *)member = (uint32_t)value;
    from->bad |= !fields[field].wide && value > UINT32_MAX;
}

/* An event takes at least a byte in each column but the last. */
static bool lengths_can_be(const vef_piece *pieces, uint32_t count, uint64_t size,
                           size_t *surplus) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; i++) {
        const vef_piece *piece = &pieces[i];
        total += vef_piece_bytes(piece);
        if (piece->events == 0 || piece->events > piece->column_bytes[VEF_COLUMN_PAYLOAD] ||
            piece->events > piece->column_bytes[VEF_COLUMN_GAP] ||
            piece->events > piece->column_bytes[VEF_COLUMN_DURATION])
            return false;
    }
    if (surplus && total <= size)
        *surplus = (size_t)(size - total);
    return surplus ? total <= size : total == size;
}

vef_code vef_pieces_get(const uint8_t *body, size_t size, vef_piece **pieces, uint32_t *count,
                        const uint8_t **columns, size_t *surplus, vef_error *error) {
    vef_cursor from = {body, body + size, false};
    *pieces = NULL;
    *count = (uint32_t)vef_get_limited(&from, size / FIELDS);
    vef_piece *list = *count ? vef_malloc(*count * sizeof *list) : NULL;
    if (*count && !list)
        return vef_fail_memory(error, "the pieces of a block", *count * sizeof *list);
    for (unsigned field = 0; field < FIELDS; field++) {
        uint64_t before = 0;
        for (uint32_t i = 0; i < *count; i++) {
            uint64_t value =
                field == TASK ? before + (uint64_t)vef_get_signed(&from) : vef_get_varint(&from);
            set_field(&list[i], field, value, &from);
            before = value;
        }
    }
    if (from.bad || *count == 0 ||
        !lengths_can_be(list, *count, (uint64_t)(from.end - from.next), surplus)) {
        free(list);
        return vef_fail(error, VEF_CORRUPT, "a block of events whose directory does not decode");
    }
    *pieces = list;
    *columns = from.next;
    return VEF_OK;
}

void vef_pieces_columns(const vef_piece *pieces, uint32_t count, const uint8_t *columns,
                        const uint8_t **column) {
    for (unsigned c = 0; c < VEF_COLUMNS; c++)
        for (uint32_t i = 0; i < count; i++) {
            column[(size_t)i * VEF_COLUMNS + c] = columns;
            columns += pieces[i].column_bytes[c];
        }
}
