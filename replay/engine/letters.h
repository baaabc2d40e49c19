/* What tasks of one part of a replay send to those of another (parts.c): the network carries the
 * number of a letter, which has what both sides need to know of the message. A part writes letters
 * and reads those of others; none moves while it is under way.
 *
 * Where parts are in several processes (netmodel/ranks.h) a letter goes to the other process by
 * value, at the end of the window in which it was written: its message arrives in a later one. Both
 * find it by its number, a serial one: the reader among the letters of the writer's part, the
 * writer, who reads it with the confirmation of a delivery, among its own. */
#ifndef VEF_REPLAY_ENGINE_LETTERS_H
#define VEF_REPLAY_ENGINE_LETTERS_H

#include "common/containers/blocks.h"
#include "common/containers/map64.h"
#include "replay/engine/engine.h"

#include <stdatomic.h>

enum { VEF_NO_LETTER = UINT32_MAX };

typedef struct vef_letter {
    vef_transfer_key key;
    uint64_t bytes;
    uint64_t sent_ps, posted_ps; /* when the two sides called; of a clearance the latter counts */
    uint16_t flags;              /* of the sender's record */
} vef_letter;

/* A letter for a part in another process. */
typedef struct vef_posted_letter {
    vef_letter letter;
    uint32_t serial;
} vef_posted_letter;

/* The letters of a part. */
typedef struct vef_letters {
    alignas(VEF_CACHE_LINE_BYTES) vef_blocks blocks;
    uint32_t untouched; /* numbers from here on were never used */
    uint32_t unused;    /* the first of its list, or VEF_NO_LETTER */
    atomic_uint read;   /* the same of those that other parts have read */
    /* In several processes: */
    bool posts;
    uint32_t serial;           /* of the next letter that this part writes */
    vef_map64 places;          /* by serial number: where in `blocks` it is */
    vef_posted_letter *posted; /* letters for this part, which another process has */
    size_t posted_count, posted_room;
} vef_letters;

/* `posts`: the other parts are in other processes. */
void vef_letters_begin(vef_letters *letters, bool posts);
void vef_letters_release(vef_letters *letters);

/* What a message of the network has as the number of its record: the part and its letter. Numbers
 * of records are below 2^32. */
static inline bool vef_is_letter(uint64_t number) {
    return number >> 32 != 0;
}
static inline uint32_t vef_letter_part(uint64_t number) {
    return (uint32_t)(number >> 32) - 1;
}

/* Writes a letter of a part to another one, with the letters of all parts; its number. `kept`: both
 * will read it; else only the other one. */
uint64_t vef_letter_write(vef_letters *letters, uint32_t from, uint32_t to,
                          const vef_transfer *transfer, bool kept);
/* Reads a letter of the part of vef_letter_part, once. */
vef_letter vef_letter_read(vef_letters *letters, uint64_t number);
/* A letter that a part in another process has posted. */
void vef_letter_keep(vef_letters *letters, const vef_posted_letter *posted);

#endif
