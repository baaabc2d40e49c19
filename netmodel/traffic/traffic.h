/* Synthetic traffic: who sends how much to whom and when, as an endless stream of messages in the
 * order of their times.
 *
 * It is made of three parts, each a row of its own table (table.c) and a file: a pattern (the
 * destination of each message), a process (when each endpoint sends) and the mix of message
 * lengths. A stream depends on its settings and seed alone: every endpoint draws from a stream of
 * its own. */
#ifndef VEF_NETMODEL_TRAFFIC_TRAFFIC_H
#define VEF_NETMODEL_TRAFFIC_TRAFFIC_H

#include "common/rng.h"
#include "netmodel/netmodel.h"

typedef struct vef_pattern {
    const struct vef_pattern_kind *kind;
    const vef_topology *topology;
    uint32_t endpoints;
    const void *parameters; /* as read by the schema */
    void *state;            /* the kind's own, in the arena */
    vef_arena arena;
} vef_pattern;

typedef struct vef_pattern_kind {
    const char *name;
    const char *summary; /* one line, with its source */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Checks that the pattern is defined on `endpoints` of `topology` (a power of two, a grid, …),
     * refusing with the reason and what would do, and sets `state`. */
    vef_code (*create)(vef_pattern *pattern, vef_error *error);
    /* The destination of a message of `source`; VEF_SILENT: this endpoint sends nothing (it would
     * send to itself for ever). */
    uint32_t (*destination)(const vef_pattern *pattern, uint32_t source, vef_rng *rng);
} vef_pattern_kind;
#define VEF_SILENT UINT32_MAX

extern const vef_pattern_kind *const vef_patterns[]; /* ended by NULL; the first is the default */

/* Builds the pattern that `node` describes ({pattern: hot-region, share: 0.25}, or the name alone).
 */
vef_code vef_pattern_create(const vef_node *node, const vef_topology *topology,
                            vef_pattern **pattern, vef_error *error);
void vef_pattern_destroy(vef_pattern *pattern); /* NULL is fine */

/* When an endpoint sends: rows of vef_processes, ended by NULL, the first the default (bernoulli).
 */
typedef struct vef_process_kind {
    const char *name;
    const char *summary; /* one line */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Cycles from one message of an endpoint to its next when it sends `rate` messages a cycle on
     * average. `memory` is the endpoint's own (VEF_PROCESS_WORDS, zero at the start). At least 0
     * (poisson may send twice in a cycle). */
    uint64_t (*gap_cycles)(const void *parameters, double rate, uint64_t *memory, vef_rng *rng);
    /* Refuses rates that the process cannot make (VEF_INVALID). */
    vef_code (*check)(const void *parameters, double rate, vef_error *error);
} vef_process_kind;
enum { VEF_PROCESS_WORDS = 2 };
extern const vef_process_kind *const vef_processes[];

typedef struct vef_length_share {
    double share; /* of the messages; they add up to 1 */
    uint64_t phits;
} vef_length_share;

typedef struct vef_traffic_settings {
    const vef_pattern *pattern; /* kept alive by the caller */
    const vef_process_kind *process;
    const void *process_parameters; /* as read by its schema */
    const vef_length_share *lengths;
    size_t length_count;
    double rate;              /* offered: phits per cycle and endpoint */
    uint32_t phit_bytes;      /* of the network */
    uint32_t traffic_classes; /* messages are spread evenly over them; at least 1 */
    uint64_t seed;
} vef_traffic_settings;

typedef struct vef_traffic vef_traffic;

vef_code vef_traffic_create(const vef_traffic_settings *settings, vef_traffic **traffic,
                            vef_error *error);
void vef_traffic_destroy(vef_traffic *traffic);
/* The time of the next message; VEF_FOREVER where nobody sends (rate 0, or all silent). */
uint64_t vef_traffic_time(const vef_traffic *traffic);
/* Takes the next message: times never go back; at one time in the order of sources. `id` is the
 * number of the message, from 0. */
void vef_traffic_next(vef_traffic *traffic, vef_net_message *message);

#endif
