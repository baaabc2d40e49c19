/* What tasks of one part of a replay send to those of another (parts.c): the network carries the
 * number of a letter, which has what both sides need to know of the message. A part writes letters
 * and reads those of others; none moves while it is under way. */
#ifndef VEF_REPLAY_ENGINE_LETTERS_H
#define VEF_REPLAY_ENGINE_LETTERS_H

#include "common/containers/blocks.h"
#include "replay/engine/engine.h"

#include <stdatomic.h>

enum { VEF_NO_LETTER = UINT32_MAX };

typedef struct vef_letter {
    vef_transfer_key key;
    uint64_t bytes;
    uint64_t sent_ps, posted_ps; /* when the two sides called; of a clearance the latter counts */
    uint16_t flags;              /* of the sender's record */
    uint32_t next;               /* among unused ones */
    atomic_uint readers;         /* parts that have still to read it */
} vef_letter;

/* The letters of a part. */
typedef struct vef_letters {
    alignas(VEF_CACHE_LINE_BYTES) vef_blocks blocks;
    uint32_t untouched; /* numbers from here on were never used */
    uint32_t unused;    /* the first of its list, or VEF_NO_LETTER */
    atomic_uint read;   /* the same of those that other parts have read */
} vef_letters;

void vef_letters_release(vef_letters *letters);

/* What a message of the network has as the number of its record: the part and its letter. Numbers
 * of records are below 2^32. */
static inline bool vef_is_letter(uint64_t number) {
    return number >> 32 != 0;
}
static inline uint32_t vef_letter_part(uint64_t number) {
    return (uint32_t)(number >> 32) - 1;
}

/* Writes a letter of a part, which so many parts will read; its number. */
uint64_t vef_letter_write(vef_letters *letters, uint32_t part, const vef_transfer *transfer,
                          unsigned readers);
/* Reads a letter of the part of vef_letter_part, once. */
vef_letter vef_letter_read(vef_letters *letters, uint64_t number);

#endif
