/* Notifications between tasks at windows that have arrived but not been consumed, or are expected
 * but have not arrived. A key may have several; they are consumed in order. */
#ifndef VEF_REPLAY_STATE_NOTICES_H
#define VEF_REPLAY_STATE_NOTICES_H

#include "common/containers/index.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum vef_notice_kind {
    VEF_NOTICE_POSTED,   /* `from` has posted to `to`; value: the time */
    VEF_NOTICE_COMPLETE, /* `from` has completed its accesses to `to`; value: the time */
    /* `to` waits for either of these; value: the waiting strand */
    VEF_NOTICE_WANTS_POSTED,
    VEF_NOTICE_WANTS_COMPLETE,
    VEF_NOTICE_HELD,      /* `from` holds the lock of `to`; value: 1 if exclusive */
    VEF_NOTICE_UNCHECKED, /* `from` locked `to` with MPI_MODE_NOCHECK: no lock is held */
} vef_notice_kind;

typedef struct vef_notice_key {
    vef_notice_kind kind;
    uint32_t window, from, to; /* tasks */
} vef_notice_key;

typedef struct vef_notice {
    vef_notice_key key;
    uint64_t value; /* of a free place: `free` as it was before */
} vef_notice;

typedef struct vef_notices {
    vef_notice *list;
    uint32_t count; /* places ever used at once */
    size_t capacity;
    uint32_t free; /* 1 + a free place among them; 0: none */
    vef_index by_key;
} vef_notices; /* zero-initialised is empty and ready */

void vef_notices_release(vef_notices *notices);
void vef_notices_put(vef_notices *notices, const vef_notice_key *key, uint64_t value);
/* Removes one and returns its value in `*value`; false if there is none. */
bool vef_notices_take(vef_notices *notices, const vef_notice_key *key, uint64_t *value);
bool vef_notices_has(const vef_notices *notices, const vef_notice_key *key);

#endif
