/* The computers of a machine: section `host` of its file. What a message costs its processors, how
 * fast they compute, and how tasks share a node.
 *
 * Overheads are those of the LogGOPS model (Hoefler, Schneider, Lumsdaine: "LogGOPSim: Simulating
 * Large-Scale Applications in the LogGOPS Model", HPDC 2010), piecewise linear in the size as in
 * SMPI (Degomme et al., IEEE TPDS 28(8), 2017). docs/semantics.md defines each key. */
#ifndef VEF_REPLAY_HOST_HOST_H
#define VEF_REPLAY_HOST_HOST_H

#include "common/config/config.h"
#include "replay/host/noise.h"

enum { VEF_MOST_STRAGGLERS = 64 };

/* Tasks first … last compute `scale` times as long. */
typedef struct vef_straggler {
    uint32_t first, last;
    double scale;
} vef_straggler;

typedef struct vef_host {
    double compute_scale; /* scale factor of measured computation, >= 0 */
    bool outside;         /* whether the time in calls that traces do not store passes too */
    double poll_gap_ns;   /* a shorter gap after an unsuccessful test or probe is waiting, not
                             computation: the task was polling */
    /* Processor time of a message at its sender and its receiver; isend_overhead without pieces: as
     * send_overhead. */
    vef_cost send_overhead, isend_overhead, receive_overhead;
    double reduce_ns_per_byte; /* processor time of a collective's reduction */
    double send_copy_ns_per_byte, receive_copy_ns_per_byte; /* processor time of eager messages:
                                   at the sender; at a receiver that posts its receive too late */
    double match_ns;      /* processor time of each entry that a search for a match passes over */
    vef_cost memory_time; /* of a message between tasks of one node */
    vef_cost memory_gap;  /* least time between two such messages of a task, either way */
    vef_cost local_copy;  /* processor time of copying a task's own data in a collective */
    /* Processor time at the origin of an operation on a window of a task of its node, whose data it
     * moves itself. Without pieces: as a message. */
    vef_cost put_time, get_time, accumulate_time;
    vef_cost flush_time; /* of a flush that completes such operations, by the size of the last */
    vef_cost memory_receive_gap; /* least time between two messages that a task receives from its
                                    node */
    uint32_t nics, cores;        /* of a node: endpoints of the network, and tasks */
    int nic;                     /* vef_nic_choice */
    uint32_t shared_cores;       /* that compute for all tasks; 0: each task has its own */
    double gap_ns;               /* least time between two messages of a NIC in each direction */
    vef_noise noise;
    uint32_t straggler_count;
    vef_straggler stragglers[VEF_MOST_STRAGGLERS]; /* by ascending rank, without overlap */
} vef_host;

/* The NIC of a node that a message leaves through, and enters. */
typedef enum vef_nic_choice { VEF_NIC_OWN, VEF_NIC_IN_TURN } vef_nic_choice;

/* The defaults of all keys. */
vef_host vef_host_defaults(void);

/* Reads the section; a missing one (NULL) and missing keys have their defaults. Noise of a file is
 * in `arena`. */
vef_code vef_host_read(const vef_node *node, vef_host *host, vef_arena *arena, vef_error *error);

/* Whether messages or reductions take time besides that of the network, or tasks delay each other.
 */
bool vef_host_charges(const vef_host *host);
/* put_time, get_time or accumulate_time, by the call; NULL: as a message. */
const vef_cost *vef_host_one_sided(const vef_host *host, uint16_t call);
/* The scale factor of a task's computation. */
double vef_host_scale(const vef_host *host, uint32_t task);

/* Writes the keys as YAML, indented: the resolved configuration. */
void vef_host_put(const vef_host *host, vef_node *into);

/* The rows of the section. */
extern const vef_param vef_host_schema[];

#endif
