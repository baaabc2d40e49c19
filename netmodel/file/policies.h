/* The policies that a network file can name (policies.def), and the section `congestion`, which has
 * the parameters of one. What the policies do is in netmodel/router/policy/. */
#ifndef VEF_NETMODEL_FILE_POLICIES_H
#define VEF_NETMODEL_FILE_POLICIES_H

#include "netmodel/file/link_classes.h"

typedef struct vef_policy_name {
    uint32_t number; /* VEF_ARBITER_…, VEF_INJECTION_… or VEF_CONGESTION_… */
    const char *name;
    const char *aliases;     /* other words for it, for hints (vef_known); may be NULL */
    const char *summary;     /* one line */
    const vef_param *schema; /* of vef_congestion_parameters; else NULL */
} vef_policy_name;

enum {
#define ARBITER(id, name, aliases, summary) VEF_ARBITER_##id,
#include "netmodel/file/policies.def"
};
enum {
#define INJECTION(id, name, aliases, summary) VEF_INJECTION_##id,
#include "netmodel/file/policies.def"
};
enum {
#define CONGESTION(id, name, aliases, summary) VEF_CONGESTION_##id,
#include "netmodel/file/policies.def"
};

/* Terminated by NULL; the first is the default. */
extern const vef_policy_name *const vef_arbiters[];
extern const vef_policy_name *const vef_injections[];
/* Terminated by NULL; the default is none. */
extern const vef_policy_name *const vef_congestion_policies[];

/* NULL: the table has no row of that name. */
const vef_policy_name *vef_policy_find(const vef_policy_name *const *table, const char *name);

/* Replaces `name` by that of the row in `row`, and fails if there is none; `key` is a key of the
 * section `router`. */
vef_code vef_policy_read(const vef_node *router, const char *key,
                         const vef_policy_name *const *table, const char **name,
                         const vef_policy_name **row, vef_error *error);

/* What a source sends next: the key `order` of policies with windows. */
typedef enum vef_send_order { VEF_SEND_AS_INJECTED, VEF_SEND_IN_TURNS } vef_send_order;

/* The parameters of all policies of congestion control; the schema of a policy has those that it
 * uses. */
typedef struct vef_congestion_parameters {
    double queue_share; /* of places taken */
    uint32_t window_packets;
    uint32_t reorder_packets; /* 0: any */
    int order;                /* vef_send_order */
    uint64_t window_bytes;    /* the same in bytes of payload; 0: not given */
    double least_window_packets, decrease, increase_packets;
    vef_delay ack_delay; /* 0 cycles: as long as the packet's way */

    /* ---- of dcqcn; rates are shares of that of an endpoint ---- */
    double most_share,
        most_marks; /* of places taken: there so many packets are marked, above all */
    double gain, increase_share, hyper_share, least_share;
    uint32_t recovery_steps;
    uint64_t increase_bytes;
    vef_delay notice, alpha_time, increase_time;
} vef_congestion_parameters;

/* The section `congestion` of a network file. */
typedef struct vef_congestion {
    const vef_policy_name *policy; /* NULL: no section */
    vef_congestion_parameters parameters;
} vef_congestion;

/* Reads the section, which may be NULL. */
vef_code vef_congestion_read(const vef_node *node, vef_congestion *congestion, vef_arena *arena,
                             vef_error *error);
/* Turns the delay into cycles, and a window in bytes into packets with the largest payload. */
vef_code vef_congestion_resolve(const vef_node *node, vef_congestion *congestion, double cycle_ns,
                                uint64_t payload_bytes, vef_error *error);
void vef_congestion_describe(FILE *out);
/* All policies as comments of an example. */
void vef_congestion_example(FILE *out);
void vef_congestion_put(const vef_congestion *congestion, vef_node *into);

#endif
