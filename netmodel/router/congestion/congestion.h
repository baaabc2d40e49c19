/* Congestion control: policies that hold packets back at their sources (netmodel/MODEL.md,
 * Congestion control). They change neither routes nor queues.
 *
 * A policy acts by the state of the source's router (`admits`), or by a window for each pair of
 * source and destination (`window`): the packets of the pair that may be on their way at once. It
 * is a file in this folder and a row of policies.def; help, the reference and error messages
 * follow. The same rule is in the phit-level reference, tests/netmodel/reference_congestion.c. */
#ifndef VEF_NETMODEL_ROUTER_CONGESTION_CONGESTION_H
#define VEF_NETMODEL_ROUTER_CONGESTION_CONGESTION_H

#include "netmodel/router/links/link_classes.h"

/* The parameters of all policies; the schema of a policy has those that it uses. */
typedef struct vef_congestion_parameters {
    double queue_share; /* of places taken */
    uint32_t window_packets;
    uint64_t window_bytes; /* the same in bytes of payload; 0: not given */
    double least_window_packets, decrease, increase_packets;
    vef_delay ack_delay; /* 0 cycles: as long as the packet's way */
} vef_congestion_parameters;

typedef struct vef_congestion_policy {
    const char *name;
    const char *aliases;     /* other words for it, for hints (vef_known); may be NULL */
    const char *summary;     /* one line */
    const vef_param *schema; /* of vef_congestion_parameters */
    /* Whether endpoints of a router may inject when so many of the places at the other ends of its
     * links are taken; NULL: always. */
    bool (*admits)(const vef_congestion_parameters *is, uint64_t taken, uint64_t places);
    /* Each pair has a window of window_packets at first and at most. */
    bool by_pair;
    /* Whether a packet is marked that enters a queue of which it is one of the `taken` places;
     * NULL: never, and the two functions below are not called. */
    bool (*marks)(const vef_congestion_parameters *is, uint32_t taken, uint32_t places);
    /* The window of a pair after a packet without a mark, */
    double (*increase)(const vef_congestion_parameters *is, double window);
    /* and after one with a mark, at most once for the packets under way. */
    double (*decrease)(const vef_congestion_parameters *is, double window);
} vef_congestion_policy;

/* The section `congestion` of a network file. */
typedef struct vef_congestion {
    const vef_congestion_policy *policy; /* NULL: no section */
    vef_congestion_parameters is;
} vef_congestion;

extern const vef_congestion_policy *const vef_congestion_policies[]; /* terminated by NULL */

/* Reads the section, which may be NULL. */
vef_code vef_congestion_read(const vef_node *node, vef_congestion *congestion, vef_arena *arena,
                             vef_error *error);
/* Turns the delay into cycles, and a window in bytes into packets with the largest payload. */
vef_code vef_congestion_resolve(const vef_node *node, vef_congestion *congestion, double cycle_ns,
                                uint64_t payload_bytes, vef_error *error);
void vef_congestion_describe(FILE *out);
/* All policies as comments of an example. */
void vef_congestion_example(FILE *out);
void vef_congestion_write(const vef_congestion *congestion, FILE *out);

/* ---- for policies: rows of schemas ---- */

#define VEF_WINDOW_ROWS(text)                                                                      \
    {VEF_KEY(COUNT, vef_congestion_parameters, window_packets),                                    \
     .fallback = "8",                                                                              \
     .minimum = 1,                                                                                 \
     .maximum = UINT16_MAX,                                                                        \
     .aliases = "packets size",                                                                    \
     .help = text},                                                                                \
    {                                                                                              \
        .key = "window", .kind = VEF_PARAM_BYTES,                                                  \
        .offset = offsetof(vef_congestion_parameters, window_bytes), .minimum = 1,                 \
        .maximum = 1e15, .instead_of = "window_packets", .aliases = "window_bytes",                \
        .help = "the same as a size, rounded down to whole packets with the largest payload"       \
    }

#define VEF_ACK_DELAY_ROWS                                                                         \
    {.key = "ack_delay_cycles",                                                                    \
     .kind = VEF_PARAM_COUNT,                                                                      \
     .offset = offsetof(vef_congestion_parameters, ack_delay.cycles),                              \
     .fallback = "auto",                                                                           \
     .word = "auto",                                                                               \
     .minimum = 1,                                                                                 \
     .maximum = VEF_LONGEST_DELAY,                                                                 \
     .help =                                                                                       \
         "cycles from the delivery of a packet until its source knows of it; auto: as its "        \
         "head took for the links that it crossed"},                                               \
    {                                                                                              \
        .key = "ack_delay", .kind = VEF_PARAM_TIME,                                                \
        .offset = offsetof(vef_congestion_parameters, ack_delay.ns), .minimum = 1e-3,              \
        .maximum = 1e15, .instead_of = "ack_delay_cycles",                                         \
        .help = "the same as a time, rounded up to whole cycles"                                   \
    }

#endif
