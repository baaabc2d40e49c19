/* The core (netmodel/router/, through netmodel.h) against the phit-by-phit reference: one network
 * and one workload run on both, which must deliver every message at the same cycle. Most cases use
 * messages of one packet, so that agreement about messages is agreement about packets. Both use the
 * routing of netmodel/routing/, so that they choose among the same candidates. */
#ifndef VEF_TESTS_NETMODEL_AGREEMENT_H
#define VEF_TESTS_NETMODEL_AGREEMENT_H

#include "tests/netmodel/reference.h"

enum { MOST_MESSAGES = 720, SPAN_CYCLES = 3000 };

typedef enum workload_kind {
    OPEN_LOOP,    /* all messages handed over before the first cycle, in a mixed order */
    STEP_BY_STEP, /* each handed over when its time has come */
    CLOSED_LOOP,  /* each receiver of a message sends one at once */
} workload_kind;

/* A class of links by its name, as in link.classes. */
typedef struct link_rule {
    const char *name;
    reference_link link;
} link_rule;

/* One case: a network, as described to both sides, and a workload. */
typedef struct network_case {
    const char *topology, *routing, *failures; /* failures NULL: none */
    vef_flow_control flow_control;
    bool by_table;          /* the reference takes the shape from the topology, not the lattice */
    const link_rule *rules; /* terminated by a NULL name; NULL: links are equal */
    uint32_t others_cycles_per_phit; /* with rules: of links that none names; 0: 1 */
    reference_config config;
    uint32_t endpoints;
    uint32_t traffic_classes; /* 0: 1 */
    workload_kind kind;
    uint32_t messages;
    uint32_t most_packets; /* per message, if they have no headers */
    double load;           /* phits per cycle and endpoint */
    uint32_t destinations; /* messages are for the first so many endpoints; 0: for all */
    uint32_t to_all;       /* one in this many messages is a broadcast; 0: none */
    uint32_t groups;       /* of endpoints; half of the broadcasts are for one of these, and */
    uint32_t reductions;   /* one in this many messages is a reduction in one; 0: none */
    uint64_t seed;
} network_case;

/* Sets the number of messages of a case so that they span about SPAN_CYCLES cycles. */
void choose_messages(network_case *sample);

/* ---- agreement_file.c ---- */

/* The cycles per phit of links that no rule names. */
uint32_t unnamed_links_pace(const network_case *sample);
/* The network of a case as a file of the core, into `text`. */
void write_network_file(const network_case *sample, char *text, size_t bytes);

/* ---- agreement.c ---- */

typedef struct both {
    vef_topology *topology;
    vef_routing *routing;
    reference_link *links;
    uint64_t reference_times[MOST_MESSAGES], core_times[MOST_MESSAGES];
} both;

/* Runs the case on the core, divided by its seed into 1 to 4 parts, one in five with threads, two
 * in three of the open loops by an agent (netmodel.h), and on the reference as `told` (the same, or
 * a wrong one). Returns how many messages they deliver at different times (a broadcast or a
 * result: to one of the endpoints), and at least 1 if the links' use differs.
 */
uint32_t disagreements(const network_case *sample, const network_case *told, both *sides);

/* Fails unless core and reference agree on `count` cases. */
void agree(uint32_t count, network_case (*make)(uint32_t));

#endif
