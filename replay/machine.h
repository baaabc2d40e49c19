/* The file that describes a machine: its network, which netmodel/ reads, its MPI library (section
 * `mpi`) and its computers (`host`). One schema row per key serves reading, defaults, --set, help
 * and the resolved configuration; the rows for collectives follow from the table of algorithms. */
#ifndef VEF_REPLAY_MACHINE_H
#define VEF_REPLAY_MACHINE_H

#include "replay/replay.h"

#include <stdio.h>

/* Reads the sections `mpi` and `host` of the root of a file into their options, and checks the
 * section `cost`; keeps other options. Missing sections and keys have their defaults. The options
 * refer to `kept`. */
vef_code vef_machine_read(const vef_node *root, vef_replay_options *options, vef_arena *kept,
                          vef_error *error);

/* Reads a file as vef_netmodel_read does, and checks these sections. `options`: as in
 * vef_machine_read; NULL for callers that need only the network. */
vef_code vef_machine_open(const char *network, const char *const *overrides, size_t override_count,
                          vef_arena *arena, vef_node **root, vef_replay_options *options,
                          vef_error *error);

/* Adds both sections to the resolved configuration. */
void vef_machine_put(const vef_replay_options *options, vef_node *into);

/* Writes one line per key, for help and docs. */
void vef_machine_describe(FILE *out);
/* Writes all sections with their defaults, as the end of an example with all keys. */
void vef_machine_example(FILE *out);

#endif
