/* Splitting times into classes and bits, and joining them. See time_coding.h. */
#include "traces/format/time_coding.h"
#include "common/memory.h"

#include <stdlib.h>

enum { PLAIN = VEF_TIME_PLAIN, PLAIN_BITS = VEF_TIME_PLAIN_BITS, CLASSES = VEF_TIME_CLASSES };

static bool is_split(unsigned column) {
    return column == VEF_COLUMN_GAP || column == VEF_COLUMN_DURATION;
}

typedef struct bit_writer {
    uint8_t *to;
    uint64_t held;
    unsigned count; /* number of pending bits, below 8 */
} bit_writer;

static void put_some(bit_writer *bits, uint64_t value, unsigned count) {
    bits->held |= value << bits->count;
    bits->count += count;
    for (; bits->count >= 8; bits->count -= 8, bits->held >>= 8)
        *bits->to++ = (uint8_t)bits->held;
}

static void put_bits(bit_writer *bits, uint64_t value, unsigned count) {
    if (count > 32) {
        put_some(bits, value & UINT32_MAX, 32);
        value >>= 32;
        count -= 32;
    }
    put_some(bits, value, count);
}

static void end_bits(bit_writer *bits) {
    if (bits->count > 0)
        *bits->to++ = (uint8_t)bits->held;
    bits->held = bits->count = 0;
}

typedef struct bit_reader {
    const uint8_t *next, *end;
    uint64_t held;
    unsigned count;
    bool bad;
} bit_reader;

static uint64_t get_some(bit_reader *bits, unsigned count) {
    while (bits->count < count) {
        if (bits->next == bits->end) {
            bits->bad = true;
            return 0;
        }
        bits->held |= (uint64_t)*bits->next++ << bits->count;
        bits->count += 8;
    }
    uint64_t value = bits->held & ((UINT64_C(1) << count) - 1);
    bits->held >>= count;
    bits->count -= count;
    return value;
}

static uint64_t get_bits(bit_reader *bits, unsigned count) {
    if (count <= 32)
        return get_some(bits, count);
    uint64_t low = get_some(bits, 32);
    return low | get_some(bits, count - 32) << 32;
}

/* ---- splitting ---- */

static uint8_t *split_column(uint8_t *classes, bit_writer *bits, const uint8_t *from, size_t size) {
    vef_cursor cursor = {from, from + size, false};
    while (cursor.next < cursor.end) {
        uint64_t value = vef_get_varint(&cursor);
        if (value < PLAIN) {
            *classes++ = (uint8_t)value;
            continue;
        }
        unsigned top = 63 - (unsigned)__builtin_clzll(value);
        *classes++ = (uint8_t)(PLAIN + 2 * (top - PLAIN_BITS) + (value >> (top - 1) & 1));
        put_bits(bits, value & ((UINT64_C(1) << (top - 1)) - 1), top - 1);
    }
    return classes;
}

void vef_split_free(vef_split *split) {
    free(split->pieces);
    for (unsigned c = 0; c < VEF_COLUMNS; c++)
        free(split->classes[c]);
    free(split->bits);
    *split = (vef_split){0};
}

static vef_code make_room(vef_split *split, const vef_piece *pieces, uint32_t count,
                          vef_error *error) {
    size_t bytes[VEF_COLUMNS] = {0}, total = count;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned c = 0; c < VEF_COLUMNS; c++)
            bytes[c] += pieces[i].column_bytes[c];
    *split = (vef_split){.pieces = vef_malloc(count * sizeof *pieces)};
    bool enough = split->pieces != NULL;
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        if (!is_split(c))
            continue;
        split->classes[c] = vef_malloc(bytes[c] + 1); /* a byte for each varint */
        enough = enough && split->classes[c];
        total += bytes[c];
    }
    split->bits = vef_malloc(total + 1); /* fewer than the varints have */
    if (enough && split->bits)
        return VEF_OK;
    vef_split_free(split);
    return vef_fail_memory(error, "a block of events", total);
}

vef_code vef_split_make(vef_split *split, const vef_piece *pieces, uint32_t count,
                        uint8_t *const column[VEF_COLUMNS], vef_error *error) {
    vef_code code = make_room(split, pieces, count, error);
    if (code)
        return code;
    bit_writer bits = {.to = split->bits};
    size_t used[VEF_COLUMNS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        split->pieces[i] = pieces[i];
        for (unsigned c = 0; c < VEF_COLUMNS; c++) {
            uint32_t size = pieces[i].column_bytes[c];
            if (is_split(c)) {
                uint8_t *classes = split->classes[c] + split->class_bytes[c];
                uint8_t *end = split_column(classes, &bits, column[c] + used[c], size);
                split->pieces[i].column_bytes[c] = (uint32_t)(end - classes);
                split->class_bytes[c] += (size_t)(end - classes);
            }
            used[c] += size;
        }
        end_bits(&bits);
    }
    split->bit_bytes = (size_t)(bits.to - split->bits);
    return VEF_OK;
}

/* ---- joining ---- */

/* The length of the varints of classes, and the number of their bits. */
static size_t measure(const uint8_t *classes, size_t count, uint64_t *bits) {
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned top = classes[i] < PLAIN ? 0 : PLAIN_BITS + (classes[i] - PLAIN) / 2u;
        bytes += top / 7 + 1;
        *bits += top ? top - 1 : 0;
    }
    return bytes;
}

static uint8_t *join_column(uint8_t *to, bit_reader *bits, const uint8_t *classes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        uint8_t class = classes[i];
        if (class < PLAIN) {
            *to++ = class;
            continue;
        }
        if (class >= CLASSES) {
            bits->bad = true;
            return to;
        }
        unsigned top = PLAIN_BITS + (class - PLAIN) / 2u;
        uint64_t value = get_bits(bits, top - 1);
        to = vef_put_varint(to, value | (UINT64_C(2) | (class & 1)) << (top - 1));
    }
    return to;
}

/* Joins the columns of `pieces` at `columns` into `to`, and sets their lengths. The bits are in the
 * order of pieces, the columns one after another, so each column is first joined at a separate
 * place. */
static uint8_t *join_all(vef_piece *pieces, uint32_t count, const uint8_t *columns,
                         bit_reader *bits, uint8_t *to, uint8_t *const place[VEF_COLUMNS]) {
    const uint8_t *from[VEF_COLUMNS];
    uint8_t *end[VEF_COLUMNS];
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        from[c] = columns;
        end[c] = place[c];
        for (uint32_t i = 0; i < count; i++)
            columns += pieces[i].column_bytes[c];
    }
    for (uint32_t i = 0; i < count && !bits->bad; i++) {
        for (unsigned c = 0; c < VEF_COLUMNS; c++) {
            uint32_t size = pieces[i].column_bytes[c];
            uint8_t *begin = end[c];
            if (is_split(c)) {
                end[c] = join_column(begin, bits, from[c], size);
                pieces[i].column_bytes[c] = (uint32_t)(end[c] - begin);
            } else {
                memcpy(begin, from[c], size);
                end[c] += size;
            }
            from[c] += size;
        }
        bits->held = bits->count = 0; /* the rest of a byte */
    }
    to = vef_pieces_put(to, pieces, count);
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        memcpy(to, place[c], (size_t)(end[c] - place[c]));
        to += end[c] - place[c];
    }
    return to;
}

vef_code vef_split_join(const uint8_t *body, size_t size, uint8_t **joined, size_t *joined_size,
                        vef_error *error) {
    vef_piece *pieces;
    const uint8_t *columns;
    uint32_t count;
    size_t bit_bytes;
    *joined = NULL;
    vef_code code = vef_pieces_get(body, size, &pieces, &count, &columns, &bit_bytes, error);
    if (code)
        return code;
    size_t bytes = 0, room[VEF_COLUMNS] = {0};
    uint8_t *place[VEF_COLUMNS];
    uint64_t bits_due = 0;
    const uint8_t *column_start = columns;
    for (unsigned c = 0; c < VEF_COLUMNS; c++) {
        size_t length = 0;
        for (uint32_t i = 0; i < count; i++)
            length += pieces[i].column_bytes[c];
        room[c] = is_split(c) ? measure(column_start, length, &bits_due) : length;
        column_start += length;
        bytes += room[c];
    }
    if (bits_due > 8 * (uint64_t)bit_bytes) { /* before anything is allocated for them */
        free(pieces);
        return vef_fail(error, VEF_CORRUPT, "a block of events whose times do not decode");
    }
    uint8_t *whole = vef_malloc(vef_pieces_bound(count) + bytes), *apart = vef_malloc(bytes + 1);
    bit_reader bits = {.next = body + size - bit_bytes, .end = body + size};
    if (whole && apart) {
        place[0] = apart;
        for (unsigned c = 1; c < VEF_COLUMNS; c++)
            place[c] = place[c - 1] + room[c - 1];
        uint8_t *end = join_all(pieces, count, columns, &bits, whole, place);
        *joined_size = (size_t)(end - whole);
        if (bits.bad || bits.next != bits.end)
            code = vef_fail(error, VEF_CORRUPT, "a block of events whose times do not decode");
    } else {
        code = vef_fail_memory(error, "a block of events", bytes);
    }
    free(apart);
    free(pieces);
    if (code)
        free(whole);
    else
        *joined = whole;
    return code;
}

/* ---- reading without joining ---- */

enum { NOT_A_CLASS = 64 }; /* more than the bits of any class: 62 */

/* The number of bits of each class. */
static void count_bits(uint8_t of_class[UINT8_MAX + 1]) {
    memset(of_class, 0, PLAIN);
    for (unsigned i = PLAIN; i < CLASSES; i++)
        of_class[i] = (uint8_t)(PLAIN_BITS - 1 + (i - PLAIN) / 2);
    memset(of_class + CLASSES, NOT_A_CLASS, UINT8_MAX + 1 - CLASSES);
}

/* The number of bits of some classes; `*bad` if one is not a class. */
static uint64_t bits_of(const uint8_t *classes, size_t count, const uint8_t of_class[UINT8_MAX + 1],
                        bool *bad) {
    uint64_t bits = 0;
    unsigned total = 0;
    for (size_t i = 0; i < count; i++) {
        const unsigned width = of_class[classes[i]];
        bits += width;
        total |= width;
    }
    *bad = *bad || total & NOT_A_CLASS;
    return bits;
}

vef_code vef_split_find(const vef_piece *pieces, uint32_t count, const uint8_t *const *column,
                        const uint8_t *bits, size_t bit_bytes, vef_time_bits *times,
                        vef_error *error) {
    uint64_t due = 0; /* in bytes */
    bool bad = false;
    uint8_t of_class[UINT8_MAX + 1];
    count_bits(of_class);
    for (uint32_t i = 0; i < count; i++, column += VEF_COLUMNS) {
        const uint32_t *sizes = pieces[i].column_bytes;
        const uint64_t gaps =
            bits_of(column[VEF_COLUMN_GAP], sizes[VEF_COLUMN_GAP], of_class, &bad);
        const uint64_t end =
            gaps + bits_of(column[VEF_COLUMN_DURATION], sizes[VEF_COLUMN_DURATION], of_class, &bad);
        times[i] = (vef_time_bits){bits, 8 * due, 8 * due + gaps, 8 * due + end};
        due += (end + 7) / 8;
    }
    if (bad || due != bit_bytes)
        return vef_fail(error, VEF_CORRUPT, "a block of events whose times do not decode");
    return VEF_OK;
}
