/* Collective calls to try algorithms on, as all their ranks see them, and what MPI says of them:
 * which rank holds which data before the call and must hold which after it. */
#ifndef VEF_TESTS_REPLAY_COLLECTIVE_CASE_H
#define VEF_TESTS_REPLAY_COLLECTIVE_CASE_H

#include "replay/collectives/plan.h"

/* Whose contributions are in a piece of data: bit r for rank r; so data is only followed in
 * communicators of up to 128 ranks. */
typedef unsigned __int128 rank_set;
enum { RANK_SET_LIMIT = 128 };

typedef struct collective_case {
    uint32_t size;
    vef_collective *calls; /* of each rank */
    uint64_t *matrix;      /* [s * size + d]: bytes from rank s to rank d; or [r]: of rank r */
    uint64_t *transposed;
} collective_case;

/* Makes variant 0, 1, … of a call; false if there is no such variant. Free it afterwards. */
bool collective_case_make(collective_case *result, uint16_t call, uint32_t size, uint32_t root,
                          uint32_t variant);
/* Every rank the same numbers: no vector variants. */
void collective_case_make_with(collective_case *result, uint16_t call, uint32_t size, uint32_t root,
                               uint64_t bytes, uint64_t elements, bool commutative);
void collective_case_free(collective_case *one);

bool collective_is_rooted(uint16_t call);
bool collective_is_reduction(uint16_t call);
/* Every rank must have heard from every other before it may go on. */
bool collective_synchronises(uint16_t call);
bool collective_notes_blocks(uint16_t call); /* all but the creations of communicators */
bool collective_is_on_neighbours(uint16_t call);

uint32_t collective_pieces(const vef_collective *call);
uint64_t collective_piece_bytes(const collective_case *one, uint32_t piece);
/* Of the byte at an offset in a piece. */
rank_set collective_before(const vef_collective *call, uint32_t piece, uint64_t offset_bytes);
/* 0: MPI does not say. */
rank_set collective_after(const vef_collective *call, uint32_t piece, uint64_t offset_bytes);

#endif
