/* Pieces: what a block of events is made of. A piece is a run of events of one stream (a thread of
 * a task), coded in columns, each for itself. A block opens with a directory of its pieces; behind
 * it stand all their first columns, then all their second ones, and so on, so that zlib meets like
 * with like where the short ends of many streams share a block. A log has one piece a block. */
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
    VEF_COLUMN_TICKS, /* empty where no event's ticks leave a gap */
    VEF_COLUMNS
};

typedef struct vef_piece {
    uint32_t task, thread;
    uint64_t first_event;   /* number of its first event in the stream */
    uint64_t first_request; /* the stream's request counter before it */
    uint64_t requests;      /* by how much that grows */
    uint64_t first_tick;    /* `entered` of its first event */
    uint32_t events;        /* 1 at least */
    uint32_t column_bytes[VEF_COLUMNS];
} vef_piece;

static inline uint64_t vef_piece_bytes(const vef_piece *piece) {
    uint64_t bytes = 0;
    for (unsigned i = 0; i < VEF_COLUMNS; i++)
        bytes += piece->column_bytes[i];
    return bytes;
}

/* The directory as bytes: at most this many (of one piece: VEF_PIECE_BOUND), and one past the last
 * that was written. */
enum { VEF_PIECE_BOUND = 128 };
size_t vef_pieces_bound(uint32_t count);
uint8_t *vef_pieces_put(uint8_t *to, const vef_piece *pieces, uint32_t count);

/* Reads and checks the directory at the beginning of a body; their columns fill the rest of it, but
 * for `*surplus` bytes at its end (NULL: there must be none). `*pieces` is allocated with malloc;
 * `*columns` points behind the directory. */
vef_code vef_pieces_get(const uint8_t *body, size_t size, vef_piece **pieces, uint32_t *count,
                        const uint8_t **columns, size_t *surplus, vef_error *error);

/* Where the columns of one of the pieces begin, in the bytes behind the directory. */
void vef_piece_columns(const vef_piece *pieces, uint32_t count, uint32_t number,
                       const uint8_t *columns, const uint8_t *column[VEF_COLUMNS]);
/* The same of all pieces in one pass: VEF_COLUMNS pointers per piece into `column`. */
void vef_pieces_columns(const vef_piece *pieces, uint32_t count, const uint8_t *columns,
                        const uint8_t **column);

#endif
