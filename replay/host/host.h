/* The computers of a machine: section `host` of its file. What a message costs its processors, how
 * fast they compute, and how tasks share a node.
 *
 * Overheads are those of the LogGOPS model (Hoefler, Schneider, Lumsdaine: "LogGOPSim: Simulating
 * Large-Scale Applications in the LogGOPS Model", HPDC 2010), piecewise linear in the size as in
 * SMPI (Degomme et al., IEEE TPDS 28(8), 2017). docs/semantics.md defines each key. */
#ifndef VEF_REPLAY_HOST_HOST_H
#define VEF_REPLAY_HOST_HOST_H

#include "common/config/config.h"

typedef struct vef_host {
    double compute_scale; /* scale factor of measured computation, >= 0 */
    bool outside;         /* whether the time in calls that traces do not store passes too */
    double poll_gap_ns;   /* a shorter gap after an unsuccessful test or probe is waiting, not
                             computation: the task was polling */
    /* Processor time of a message at its sender and its receiver; isend_overhead without pieces: as
     * send_overhead. */
    vef_cost send_overhead, isend_overhead, receive_overhead;
    double reduce_ns_per_byte; /* processor time of a collective's reduction */
} vef_host;

/* The defaults of all keys. */
vef_host vef_host_defaults(void);

/* Reads the section; a missing one (NULL) and missing keys have their defaults. */
vef_code vef_host_read(const vef_node *node, vef_host *host, vef_error *error);

/* Whether messages or reductions cost processor time. */
bool vef_host_charges(const vef_host *host);

/* Writes the keys as YAML, indented: the resolved configuration. */
void vef_host_write(const vef_host *host, FILE *out, int indent);

/* The rows of the section. */
extern const vef_param vef_host_schema[];

#endif
