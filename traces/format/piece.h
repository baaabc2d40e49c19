/* Pieces: the parts of a block of events. A piece is a run of events of one stream (a thread of a
 * task), coded independently in columns. A block begins with a directory of its pieces; then follow
 * all first columns, then all second columns, and so on, so that zlib compresses similar data
 * together where the short ends of many streams share a block. A log has one piece per block. */
#ifndef VEF_TRACES_FORMAT_PIECE_H
#define VEF_TRACES_FORMAT_PIECE_H

#include "common/status.h"

#include <stddef.h>
#include <stdint.h>

/* The columns, in their order. */
enum {
    VEF_COLUMN_PAYLOAD,
    VEF_COLUMN_GAP,
    VEF_COLUMN_DURATION,
    VEF_COLUMN_TICKS, /* empty if no event's ticks leave a gap */
    VEF_COLUMNS
};

typedef struct vef_piece {
    uint32_t task, thread;
    uint64_t first_event;   /* number of its first event in the stream */
    uint64_t first_request; /* the stream's request counter before it */
    uint64_t requests;      /* by how much that grows */
    uint64_t first_tick;    /* `entered` of its first event */
    uint32_t events;        /* at least 1 */
    uint32_t column_bytes[VEF_COLUMNS];
} vef_piece;

static inline uint64_t vef_piece_bytes(const vef_piece *piece) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        bytes += piece->column_bytes[i];
    return bytes;
}

/* The directory as bytes: at most this many (for one piece: VEF_PIECE_BOUND); returns one past the
 * last byte. */
enum { VEF_PIECE_BOUND = 128 };
size_t vef_pieces_bound(uint32_t count);
uint8_t *vef_pieces_put(uint8_t *to, const vef_piece *pieces, uint32_t count);

/* Reads and checks the directory at the beginning of a body; the columns fill the rest of it,
 * except `*surplus` bytes at its end (NULL: none). `*pieces` is allocated with malloc; `*columns`
 * points behind the directory. */
vef_code vef_pieces_get(const uint8_t *body, size_t size, vef_piece **pieces, uint32_t *count,
                        const uint8_t **columns, size_t *surplus, vef_error *error);

/* The positions of the columns of pieces in the bytes behind the directory: VEF_COLUMNS pointers
 * per piece into `column`. */
void vef_pieces_columns(const vef_piece *pieces, uint32_t count, const uint8_t *columns,
                        const uint8_t **column);

#endif
