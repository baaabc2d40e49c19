/* Synthetic traffic: an endless stream of messages with source, destination, length and time, in
 * the order of their times.
 *
 * It has three parts: a pattern (the destination of each message), a process (the times of each
 * endpoint's messages) and the mix of message lengths. Patterns and processes are rows of
 * patterns.def and processes.def, each a separate file (patterns/, processes/). A stream depends
 * only on its settings and seed: every endpoint has a separate random stream, so that its messages
 * do not depend on other endpoints. */
#ifndef VEF_NETMODEL_TRAFFIC_TRAFFIC_H
#define VEF_NETMODEL_TRAFFIC_TRAFFIC_H

#include "common/rng.h"
#include "netmodel/netmodel.h"

/* ---- patterns: destinations ---- */

typedef struct vef_pattern {
    const struct vef_pattern_kind *kind;
    const vef_topology *topology;
    uint32_t endpoints;
    const void *parameters; /* as read by the schema */
    void *state;            /* the kind's own, in the arena */
    void *library;          /* of a kind from a plug-in (common/plugin/); else NULL */
    vef_arena arena;
} vef_pattern;

typedef struct vef_pattern_kind {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line, with its source */
    const vef_param *schema;
    size_t parameter_bytes; /* of the struct of the schema's fields; 0: it has none */
    /* Checks that the pattern is defined on the endpoints of `topology` (a power of two, a grid,
     * …), refusing (VEF_UNSUPPORTED) with the reason and the accepted values, and sets `state`. */
    vef_code (*create)(vef_pattern *pattern, vef_error *error);
    /* The destination of a message of `source`. VEF_SILENT: this endpoint never sends (a
     * permutation maps it to itself). */
    uint32_t (*destination)(const vef_pattern *pattern, uint32_t source, vef_rng *rng);
    /* Adds the probability of each destination, [endpoints], of a message of `source`. NULL: a
     * permutation. */
    void (*shares)(const vef_pattern *pattern, uint32_t source, double *share);
    /* For separate figures, the names of groups of sources, at most VEF_MOST_GROUPS, terminated by
     * NULL; and the group of an endpoint. NULL: one group. */
    const char *const *groups;
    uint32_t (*group)(const vef_pattern *pattern, uint32_t source);
    /* Always the same destination for a source. */
    bool permutation;
    /* For the generic tests: parameter sets, each a YAML mapping, that are defined on 64 endpoints,
     * one on each router of an 8 x 8 torus; terminated by NULL. */
    const char *const *samples;
} vef_pattern_kind;
#define VEF_SILENT UINT32_MAX
enum { VEF_MOST_GROUPS = 4 };

extern const vef_pattern_kind
    *const vef_patterns[]; /* terminated by NULL; the first is the default */
extern const struct vef_plugin_point vef_pattern_point; /* rows of plug-ins */

/* Builds the pattern of `node`: {pattern: hot-region, share: 0.25}, or only the name; NULL or null:
 * the default. The topology must outlive it. `plugins`: that key of the network file
 * (vef_library_list), for patterns that these add; NULL: none. */
vef_code vef_pattern_create(const vef_node *node, const vef_node *plugins,
                            const vef_topology *topology, vef_pattern **pattern, vef_error *error);
/* The same of a text ("--pattern"). */
vef_code vef_pattern_of_text(const char *text, const vef_node *plugins,
                             const vef_topology *topology, vef_pattern **pattern, vef_error *error);
void vef_pattern_destroy(vef_pattern *pattern); /* NULL is fine */

/* Sets the probability of each destination, [endpoints], of a message of `source`: all 0 if it is
 * silent. */
void vef_pattern_shares(const vef_pattern *pattern, uint32_t source, double *share);

/* Whether an endpoint sends to another; and how many do. */
bool vef_pattern_sends(const vef_pattern *pattern, uint32_t endpoint);
uint32_t vef_pattern_senders(const vef_pattern *pattern);
/* Number of groups; 0: the kind has none. And how many endpoints that send are in a group. */
uint32_t vef_pattern_groups(const vef_pattern *pattern);
uint32_t vef_pattern_group_senders(const vef_pattern *pattern, uint32_t group);

/* ---- processes: times ---- */

/* An initialised process. `constants` are the kind's own, set by prepare. */
typedef struct vef_process {
    const struct vef_process_kind *kind;
    const void *parameters;
    double rate;       /* messages per cycle and endpoint, on average; more than 0 */
    double mean_phits; /* of a message */
    double constants[4];
} vef_process;

/* The state of an endpoint between messages; zero at the start. */
typedef struct vef_process_memory {
    double words[2];
} vef_process_memory;

typedef struct vef_process_kind {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Sets the constants; refuses (VEF_INVALID) impossible rates, naming the maximum. */
    vef_code (*prepare)(vef_process *process, vef_error *error);
    /* Cycles from time 0 to an endpoint's first message, in the stationary process; and from one
     * message to its next: 1 / rate on average, perhaps 0. VEF_FOREVER: beyond the representable
     * times (vef_process_cycles). */
    uint64_t (*first_cycles)(const vef_process *process, vef_process_memory *memory, vef_rng *rng);
    uint64_t (*gap_cycles)(const vef_process *process, vef_process_memory *memory, vef_rng *rng);
    const char *const *samples; /* parameter sets for the generic tests, valid for any mix at 0.4
                                   phits per cycle and endpoint; terminated by NULL */
} vef_process_kind;

extern const vef_process_kind
    *const vef_processes[]; /* terminated by NULL; the first is the default */

/* Reads {process: bursts, messages: 8}, or only the name; NULL or null: the default. `*parameters`
 * points into `arena`. */
vef_code vef_process_read(const vef_node *node, vef_arena *arena, const vef_process_kind **kind,
                          const void **parameters, vef_error *error);

/* ---- lengths ---- */

typedef struct vef_length_share {
    double share;   /* of the messages; they add up to 1 */
    uint64_t phits; /* of all packets, their headers included; 0: as many as these take: */
    uint64_t bytes;
} vef_length_share;

/* Reads "16" (every message of 16 phits), "4 KiB" (of 4 KiB) or "0.7:8,0.3:64" (70 % of 8 phits, 30
 * % of 64), the shares adding up to 1. `*lengths` is in `arena`. */
vef_code vef_lengths_read(const char *text, vef_arena *arena, const vef_length_share **lengths,
                          size_t *count, vef_error *error);

/* ---- the stream ---- */

typedef struct vef_traffic_settings {
    const vef_pattern *pattern; /* kept alive by the caller */
    /* [pattern->endpoints]: the network endpoint of each of the pattern's, a mapping of the
     * processes of a program; kept alive likewise. NULL: the identity. Random numbers do not depend
     * on it. */
    const uint32_t *places;
    /* The endpoints of the pattern whose messages the stream has, in ascending order; kept alive
     * likewise. NULL: all. The messages of each are the same in any stream that has it. */
    const uint32_t *members;
    uint32_t member_count;
    const vef_process_kind *process;
    const void *process_parameters;  /* as read by its schema; kept alive likewise */
    const vef_length_share *lengths; /* copied */
    size_t length_count;
    double rate;              /* offered: phits per cycle and endpoint, of those that send */
    vef_packets packets;      /* of the network */
    uint32_t traffic_classes; /* each endpoint's messages use them in turn; 1 to 256 */
    uint64_t seed;
} vef_traffic_settings;

typedef struct vef_traffic vef_traffic;

/* Refuses (VEF_INVALID) a rate below 0 or beyond the process, and invalid lengths. Allocates all
 * its memory here: about 50 bytes per endpoint and 100 KB. */
vef_code vef_traffic_create(const vef_traffic_settings *settings, vef_traffic **traffic,
                            vef_error *error);
void vef_traffic_destroy(vef_traffic *traffic); /* NULL is fine */
/* Number of endpoints that send: all but the silent ones. The offered load of the whole network is
 * rate x senders. */
uint32_t vef_traffic_senders(const vef_traffic *traffic);
/* The time of the next message; VEF_FOREVER if no endpoint sends (rate 0, or all silent). */
uint64_t vef_traffic_time(const vef_traffic *traffic);
/* Takes the next message: times never decrease, except for postponed ones; at one time in the order
 * of sources (in the pattern's numbering). `id` is the number of the message, from 0. Only if
 * vef_traffic_time is not VEF_FOREVER. */
void vef_traffic_next(vef_traffic *traffic, vef_net_message *message);
/* The source of the next message; only if vef_traffic_time is not VEF_FOREVER. */
uint32_t vef_traffic_source(const vef_traffic *traffic);
/* Postpones the next message until `until_cycles`, not before vef_traffic_time: its source must not
 * have more of them now. When it is taken its time is that of its generation, now in the past, and
 * later messages of its source follow at once. So a source with a backlog has an endless queue that
 * takes no memory. */
void vef_traffic_put_off(vef_traffic *traffic, uint64_t until_cycles);
/* How far the endpoints are behind: the sum over all that send of the time since the generation of
 * their next message, which was postponed; 0 of those that are not behind. */
double vef_traffic_backlog_cycles(const vef_traffic *traffic, uint64_t now_cycles);

/* ---- output ---- */

/* Writes the patterns, the processes and the form of lengths, for `vef list` (with their keys) and
 * for help. */
void vef_traffic_describe(FILE *out, bool keys);
/* Adds `pattern` and its parameters, or `process` and its, to the resolved configuration. */
void vef_pattern_put(const vef_pattern *pattern, vef_node *into);
void vef_process_put(const vef_process_kind *process, const void *parameters, vef_node *into);

/* ---- for processes ---- */

/* A time in whole cycles; it may be too long to represent. */
static inline uint64_t vef_process_cycles(double cycles) {
    return cycles < 0x1p62 ? (uint64_t)cycles : VEF_FOREVER;
}

#endif
