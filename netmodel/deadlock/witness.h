/* Packets that make the steps of a cycle. */
#ifndef VEF_NETMODEL_DEADLOCK_WITNESS_H
#define VEF_NETMODEL_DEADLOCK_WITNESS_H

#include "netmodel/deadlock/moves.h"

/* Fills in the packets and the needed places of the cycle of `deadlock`, and of its entry. */
vef_code vef_witness_find(const vef_routing *routing, const vef_deadlock_request *request,
                          vef_moves *moves, uint64_t most_bytes, vef_deadlock *deadlock,
                          vef_error *error);

#endif
