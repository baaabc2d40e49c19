/* The counts of an Alltoallv or Alltoallw of which a format states but the sums of each member.
 *
 * The bytes from one member to another are the share of their sums, rounded down. The rest, less
 * than one byte a pair, fills the matrix from its corner (the north-west corner rule of
 * transportation problems): what is left over of each row and each column are intervals of one
 * line, and a pair gets what they have in common. So every member's counts have its sums, and both
 * sides agree. */
#ifndef VEF_INTERCHANGE_EXCHANGE_H
#define VEF_INTERCHANGE_EXCHANGE_H

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

/* Fills in `rest`, for the next function: what the ranks up to each do not get in proportion. False
 * if the members do not receive as much as they send; `rest` is then not filled in. */
bool vef_exchange_settle(const vef_exchange_sums *sums, vef_exchange_sums *rest, uint32_t size);

/* The counts of a rank. */
void vef_exchange_fill(const vef_exchange_sums *sums, const vef_exchange_sums *rest, uint32_t size,
                       uint32_t rank, uint64_t *sends, uint64_t *receives);

#endif
