/* T-switches: switches of k x k ports made of two inner switches, alpha and beta, and links between
 * them (Villar et al.: "Formalization and configuration methodology for high-radix combined
 * switches", Journal of Supercomputing, definitions 3 to 10; part of Andujar's thesis).
 *
 * Ports 0 to k - 1 lead to the previous stage (B), k to 2k - 1 to the next (F). A pattern lists the
 * ports on inner switch alpha: exactly k, so that beta has the other k. */
#ifndef VEF_NETMODEL_TOPOLOGY_T_SWITCH_H
#define VEF_NETMODEL_TOPOLOGY_T_SWITCH_H

#include "common/arena.h"
#include "common/config/config.h"

/* Reads the patterns of the switches of all stages: `alpha` has one row of ports for all stages,
 * one per stage, or none: then the patterns are those that the paper proves best. Before the last
 * stage, ports l and l + k together, half of them on each inner switch (proposition 20, figure 7a),
 * so `k` must be even there; in the last stage, whose paths all turn round, all of B on alpha
 * (proposition 21, figure 7b).
 *
 * `chips`: [stage * 2k + port] is 0 on alpha and 1 on beta; owned by the arena. */
vef_code vef_t_switch_patterns(const vef_int_table *alpha, uint32_t k, uint32_t stages,
                               vef_arena *arena, const uint8_t **chips, vef_error *error);

#endif
