/* The user's rules for the algorithms of collectives, as keys of the section `mpi` of a machine
 * file. The key of a collective has a name, a mapping, or a list of mappings, the first of which
 * that fits a call is used:
 *
 *   bcast: chain
 *   allreduce: {algorithm: segmented-ring, segment: 256 KiB}
 *   alltoall:
 *     - {algorithm: bruck, up_to: 256 B}
 *     - {algorithm: scattered, degree: 8, up_to_ranks: 64}
 */
#ifndef VEF_REPLAY_COLLECTIVES_RULES_H
#define VEF_REPLAY_COLLECTIVES_RULES_H

#include "common/config/config.h"
#include "replay/collectives/choices.h"

/* A row of a schema for each collective, for help and hints; the values are read by vef_rules_read.
 * Returns their number; names live in `arena`. */
size_t vef_rules_schema(vef_param rows[VEF_MOST_CHOOSABLE], vef_arena *arena);

/* Adds the rules of the section `mpi` (NULL: none) to the choices. */
vef_code vef_rules_read(const vef_node *mpi, vef_choices *choices, vef_error *error);

/* Writes the key of each collective, which vef_rules_read reads again. */
void vef_rules_put(const vef_choices *choices, vef_node *mpi);

#endif
