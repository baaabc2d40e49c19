/* The counts of collectives of which a format states but the sums of each member, and those sums.
 *
 * Calls in place. Tools state them in two ways. EZTrace and Extrae state the arguments of the call,
 * one of which MPI ignores: it is 0, or left from an earlier call; what is received is right.
 * Score-P states what moves, to the member itself too; in place a member sends nothing to itself
 * (scorep_mpi_coll.inc.c). The sums become those that the call has without MPI_IN_PLACE.
 *
 * Alltoallv and Alltoallw. The bytes from one member to another are the share of their sums,
 * rounded down. The rest, less than one byte a pair, fills the matrix from its corner (the
 * north-west corner rule of transportation problems): what is left over of each row and each column
 * are intervals of one line, and a pair gets what they have in common. So every member's counts
 * have its sums, and both sides agree. */
#ifndef VEF_INTERCHANGE_EXCHANGE_H
#define VEF_INTERCHANGE_EXCHANGE_H

#include "traces/event.h"

#include <stdbool.h>
#include <stdint.h>

/* Bytes that a member sends and receives. */
typedef struct vef_exchange_sums {
    uint64_t sent, received;
} vef_exchange_sums;

/* The sum of the counts of a member. */
static inline uint64_t vef_exchange_sum(const uint64_t *counts, uint32_t size) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < size; i++)
        total += counts[i];
    return total;
}

/* What a member of a communicator of `size` states as sent and received by a collective: sums of
 * the arguments of its call. */
vef_exchange_sums vef_exchange_arguments(const vef_event *event, uint32_t size, bool is_root);

/* The number of elements of a reduction, where a format states bytes alone: of the largest common
 * size that divides them. */
static inline uint64_t vef_exchange_elements(uint64_t bytes) {
    return bytes % 8 == 0 ? bytes / 8 : bytes % 4 == 0 ? bytes / 4 : bytes;
}

typedef enum vef_exchange_place {
    VEF_EXCHANGE_WHOLE,
    VEF_EXCHANGE_EITHER, /* the sums are those of a call in place, too; taken as whole */
    VEF_EXCHANGE_IN_PLACE,
} vef_exchange_place;

/* Whether `bytes` are those of `size` equal parts, or in place of `size` - 1. A whole number of
 * words of 4 bytes is likelier than any other number. */
vef_exchange_place vef_exchange_likelier(uint64_t bytes, uint32_t size);

/* Turns the sums of all members of an Allgatherv into those without MPI_IN_PLACE: `size` times the
 * own part is sent, the sum of all parts received. For Reduce_scatter exchange the two.
 * `arguments`: sums are arguments, parts times `size`; in place the parts are not known, and become
 * equal parts of their sum. */
vef_exchange_place vef_exchange_parts(vef_exchange_sums *sums, uint32_t size, bool arguments);

/* The same for Alltoallv and Alltoallw: in place a member sends each other one as much as it
 * receives from it. Score-P's sums tell that only if they are equal in all members. */
vef_exchange_place vef_exchange_pairs(vef_exchange_sums *sums, uint32_t size, bool arguments);

/* The part of the root of a Gatherv or Scatterv is what the others leave of `total`, whether in
 * place or not. False if they leave less than nothing. */
bool vef_exchange_rest(uint64_t *parts, uint32_t size, uint32_t rank, uint64_t total);

/* Fills in `rest`, for the next function: what the ranks up to each do not get in proportion. False
 * if the members do not receive as much as they send; `rest` is then not filled in. */
bool vef_exchange_settle(const vef_exchange_sums *sums, vef_exchange_sums *rest, uint32_t size);

/* The counts of a rank. */
void vef_exchange_fill(const vef_exchange_sums *sums, const vef_exchange_sums *rest, uint32_t size,
                       uint32_t rank, uint64_t *sends, uint64_t *receives);

#endif
