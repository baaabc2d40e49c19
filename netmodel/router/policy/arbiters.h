/* Allocation: which of the requesting queues is granted an output.
 *
 * An arbiter is a function in arbiters.c, or in matching.c where the queues of an input port share
 * one read port, and a row of netmodel/file/policies.def; help and error messages follow. */
#ifndef VEF_NETMODEL_ROUTER_POLICY_ARBITERS_H
#define VEF_NETMODEL_ROUTER_POLICY_ARBITERS_H

#include "netmodel/file/policies.h"
#include "netmodel/router/core/policies.h"

const vef_arbiter *vef_arbiter_of(const vef_policy_name *name);

/* matching.c */
void vef_match_two_stage(const vef_matching *matching);
void vef_match_islip(const vef_matching *matching);

#endif
