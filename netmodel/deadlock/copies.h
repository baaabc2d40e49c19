/* Broadcast packets in the proof of deadlock freedom (prove.c, "Packets to all"). */
#ifndef VEF_NETMODEL_DEADLOCK_COPIES_H
#define VEF_NETMODEL_DEADLOCK_COPIES_H

#include "netmodel/deadlock/moves.h"
#include "netmodel/routing/broadcast/broadcast.h"

/* Adds the moves of copies of broadcasts from every router, or, if `moves` are uniform, from the
 * first of each class. Sets `*copies` to their number. Returns whether all can be made: a branch
 * that needs more places than `queue_packets` can never be taken. Where copies take trees of
 * groups: the moves of all groups, and their number. */
bool vef_copies_note(vef_moves *moves, const vef_broadcast *broadcast, const vef_routing *routing,
                     const vef_deadlock_request *request, uint32_t queue_packets, uint64_t *copies);

#endif
