/* Synthetic traffic: who sends how much to whom and when, as an endless stream of messages in the
 * order of their times.
 *
 * It is made of three parts: a pattern (the destination of each message), a process (when each
 * endpoint sends) and the mix of message lengths. Patterns and processes are rows of tables
 * (table.c), each a file of its own (patterns/, processes/). A stream depends on its settings and
 * seed alone: every endpoint draws from a stream of its own, so that the messages of one do not
 * depend on what others do. */
#ifndef VEF_NETMODEL_TRAFFIC_TRAFFIC_H
#define VEF_NETMODEL_TRAFFIC_TRAFFIC_H

#include "common/rng.h"
#include "netmodel/netmodel.h"

/* ---- patterns: who sends to whom ---- */

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
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line, with its source */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Checks that the pattern is defined on the endpoints of `topology` (a power of two, a grid,
     * …), refusing (VEF_UNSUPPORTED) with the reason and what would do, and sets `state`. */
    vef_code (*create)(vef_pattern *pattern, vef_error *error);
    /* The destination of a message of `source`. VEF_SILENT: this endpoint sends nothing (a
     * permutation that takes it to itself); then it is so for every message of this source. */
    uint32_t (*destination)(const vef_pattern *pattern, uint32_t source, vef_rng *rng);
    /* Always the same destination for a source. */
    bool permutation;
    /* For the generic tests: parameter sets, each a YAML mapping, that are defined on 64 endpoints,
     * one on each router of an 8 x 8 torus; ended by NULL. */
    const char *const *samples;
} vef_pattern_kind;
#define VEF_SILENT UINT32_MAX

extern const vef_pattern_kind *const vef_patterns[]; /* ended by NULL; the first is the default */

/* Builds the pattern that `node` describes: {pattern: hot-region, share: 0.25}, or the name alone;
 * NULL or null: the default. The topology must outlive it. */
vef_code vef_pattern_create(const vef_node *node, const vef_topology *topology,
                            vef_pattern **pattern, vef_error *error);
void vef_pattern_destroy(vef_pattern *pattern); /* NULL is fine */

/* ---- processes: when an endpoint sends ---- */

/* A process at work. `constants` are the kind's own, set by prepare. */
typedef struct vef_process {
    const struct vef_process_kind *kind;
    const void *parameters;
    double rate;       /* messages per cycle and endpoint, on average; more than 0 */
    double mean_phits; /* of a message */
    double constants[4];
} vef_process;

/* What an endpoint remembers from one message to the next; zero at the start. */
typedef struct vef_process_memory {
    double words[2];
} vef_process_memory;

typedef struct vef_process_kind {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    const vef_param *schema;
    size_t parameter_bytes;
    /* Sets the constants; refuses (VEF_INVALID) rates that the process cannot make, naming the
     * greatest that it can. */
    vef_code (*prepare)(vef_process *process, vef_error *error);
    /* Cycles from time 0 to an endpoint's first message, as if it had been sending for ever before;
     * and from one message to its next: 1 / rate on average, perhaps 0. VEF_FOREVER: beyond the
     * numbers that there are (vef_process_cycles). */
    uint64_t (*first_cycles)(const vef_process *process, vef_process_memory *memory, vef_rng *rng);
    uint64_t (*gap_cycles)(const vef_process *process, vef_process_memory *memory, vef_rng *rng);
    const char *const *samples; /* parameter sets for the generic tests, good for any mix at 0.4
                                   phits per cycle and endpoint; ended by NULL */
} vef_process_kind;

extern const vef_process_kind *const vef_processes[]; /* ended by NULL; the first is the default */

/* Reads {process: bursts, messages: 8}, or the name alone; NULL or null: the default. What
 * `*parameters` points to is in `arena`. */
vef_code vef_process_read(const vef_node *node, vef_arena *arena, const vef_process_kind **kind,
                          const void **parameters, vef_error *error);

/* ---- lengths ---- */

typedef struct vef_length_share {
    double share; /* of the messages; they add up to 1 */
    uint64_t phits;
} vef_length_share;

/* Reads "16" (every message of 16 phits) or "0.7:8,0.3:64" (70 % of 8 phits, 30 % of 64), the
 * shares adding up to 1. `*lengths` is in `arena`. */
vef_code vef_lengths_read(const char *text, vef_arena *arena, const vef_length_share **lengths,
                          size_t *count, vef_error *error);

/* ---- the stream ---- */

typedef struct vef_traffic_settings {
    const vef_pattern *pattern; /* kept alive by the caller */
    /* [pattern->endpoints]: the endpoint that each of the pattern's stands at, a mapping of the
     * processes of a program; kept alive likewise. NULL: each at its own. Whatever is drawn does
     * not depend on it. */
    const uint32_t *places;
    const vef_process_kind *process;
    const void *process_parameters;  /* as read by its schema; kept alive likewise */
    const vef_length_share *lengths; /* copied */
    size_t length_count;
    double rate;              /* offered: phits per cycle and endpoint, of those that send */
    uint32_t phit_bytes;      /* of the network */
    uint32_t traffic_classes; /* each endpoint's messages take turns; 1 to 256 */
    uint64_t seed;
} vef_traffic_settings;

typedef struct vef_traffic vef_traffic;

/* Refuses (VEF_INVALID) a rate below 0 or beyond the process, and lengths that are none. Takes all
 * its memory here: about 50 bytes per endpoint and 100 KB. */
vef_code vef_traffic_create(const vef_traffic_settings *settings, vef_traffic **traffic,
                            vef_error *error);
void vef_traffic_destroy(vef_traffic *traffic); /* NULL is fine */
/* How many endpoints send: all but the silent ones. The load that the whole network is offered is
 * rate x senders. */
uint32_t vef_traffic_senders(const vef_traffic *traffic);
/* The time of the next message; VEF_FOREVER where nobody sends (rate 0, or all silent). */
uint64_t vef_traffic_time(const vef_traffic *traffic);
/* Takes the next message: times never go back, but for those put off; at one time in the order of
 * sources (as the pattern numbers them). `id` is the number of the message, from 0. Only when
 * vef_traffic_time is not VEF_FOREVER. */
void vef_traffic_next(vef_traffic *traffic, vef_net_message *message);
/* The source of the next message; only when vef_traffic_time is not VEF_FOREVER. */
uint32_t vef_traffic_source(const vef_traffic *traffic);
/* Puts the next message off until `until_cycles`, not before vef_traffic_time: its source is not to
 * have more of them now. When it is taken its time is the one at which it was made, in the past
 * then, and what its source has made meanwhile follows at once. So a source that falls behind has
 * an endless queue that takes no memory. */
void vef_traffic_put_off(vef_traffic *traffic, uint64_t until_cycles);

/* ---- for people ---- */

/* Writes the patterns, the processes and the form of lengths, for `vef list` and the reference. */
void vef_traffic_describe(FILE *out);
/* Writes `pattern:` and its parameters, or `process:` and its, for the resolved configuration. */
void vef_pattern_write(const vef_pattern *pattern, FILE *out, int indent);
void vef_process_write(const vef_process_kind *process, const void *parameters, FILE *out,
                       int indent);

/* ---- for processes ---- */

/* Whole cycles of a time that may be too long to count. */
static inline uint64_t vef_process_cycles(double cycles) {
    return cycles < 0x1p62 ? (uint64_t)cycles : VEF_FOREVER;
}

#endif
