/* Collectives on intercommunicators in the view of all ranks of both groups, and their results
 * according to MPI. */
#ifndef VEF_TESTS_REPLAY_BETWEEN_CASE_H
#define VEF_TESTS_REPLAY_BETWEEN_CASE_H

#include "tests/replay/collective_case.h"

/* Makes variant 0, 1, … of a call between groups of `first` and `second` ranks, of all ranks of the
 * first, then the second. `root` counts over both. False if there is no such variant. Free it with
 * collective_case_free. */
bool between_case_make(collective_case *result, uint16_t call, uint32_t first, uint32_t second,
                       uint32_t root, uint32_t variant);

uint32_t between_pieces(const vef_collective *call);
rank_set between_before(const vef_collective *call, uint32_t piece, uint64_t offset_bytes);
rank_set between_after(const vef_collective *call, uint32_t piece, uint64_t offset_bytes);

#endif
