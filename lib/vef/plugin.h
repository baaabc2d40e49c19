/* Adding to vef from outside: topologies, routings, traffic patterns and mappings in a shared
 * object.
 *
 * A network file names the objects that it uses, relative to itself:
 *
 *     plugins: [./chordal_ring.so]
 *     topology: {family: chordal-ring, routers: 16, chord: 5}
 *     routing: {algorithm: chordal-minimal}
 *
 * What is in them is then known by its name wherever the file is used: `vef topology`, `vef
 * verify`, `vef load --pattern NAME`, `vef replay --map 'NAME(7)'`, vef/network.h. `vef list plugin
 * FILE` lists it.
 *
 * An object defines one function, vef_plugin_entry, which returns a vef_plugin. It is not linked
 * with anything of vef. vef checks what it is told: links must lead back, candidates must be links
 * and virtual channels that exist, packets must arrive. All functions may be called by several
 * threads at once, with the same `self`, which they must not change after `create`; they must give
 * the same answer whenever they are asked the same. */
#ifndef VEF_PLUGIN_H
#define VEF_PLUGIN_H

#include <vef/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The number of this interface; vef refuses objects with another one. */
#define VEF_PLUGIN_INTERFACE 1

/* No router, no endpoint. */
#define VEF_PLUGIN_NONE UINT32_MAX

/* ---- what vef gives ---- */

typedef enum vef_plugin_kind {
    VEF_PLUGIN_INTEGER,
    VEF_PLUGIN_REAL,
    VEF_PLUGIN_TEXT
} vef_plugin_kind;

typedef union vef_plugin_value {
    int64_t integer;
    double real;
    const char *text;
} vef_plugin_value;

/* A key of a network file. Keys are read, checked, and passed as an array of values in the order of
 * their rows. */
typedef struct vef_plugin_parameter {
    const char *name; /* NULL: the end of the list */
    vef_plugin_kind kind;
    const char *fallback;    /* the default, as in a file; NULL: the key must be given */
    double minimum, maximum; /* of numbers; both 0: no bounds */
    const char *help;        /* one line */
} vef_plugin_parameter;

/* What `create` has. It returns 0, or, with a reason in `error`, something else. */
typedef struct vef_plugin_context {
    /* Memory, cleared, that lives as long as what is created; NULL: there is none. It is not freed.
     */
    void *(*allocate)(struct vef_plugin_context *context, size_t bytes);
    char error[512];
} vef_plugin_context;

/* Random numbers: below `bound`, which is at least 1. At most 64 for one packet. */
typedef struct vef_plugin_draws {
    uint32_t (*below)(struct vef_plugin_draws *draws, uint32_t bound);
} vef_plugin_draws;

/* A network. Arrays live as long as what was created from it. */
typedef struct vef_plugin_graph {
    const char *family; /* as in its file: "torus" */
    const void *self;   /* of its `create`, if it is a topology of the same object; else NULL */
    uint32_t routers, ports, endpoints;
    const uint32_t *neighbour;       /* [router * ports + port]: VEF_PLUGIN_NONE: no link */
    const uint16_t *reverse_port;    /* likewise: the port of the other end */
    const uint32_t *endpoint_router; /* [endpoints]: the router of each */
    uint32_t dimensions;   /* of a grid of routers, dimension 0 running fastest; 0: none */
    const uint32_t *sizes; /* [dimensions] */
} vef_plugin_graph;

/* ---- topologies ---- */

typedef struct vef_plugin_shape {
    uint32_t routers; /* at least 2 */
    uint32_t ports;   /* of a router; a router may leave some without a link */
    /* Endpoint e is at router e / endpoints_per_router, which the network file says. Or, with
     * `endpoint_router` of so many `endpoints`, in ascending order, where it says. */
    uint32_t endpoints;
    const uint32_t *endpoint_router;
    /* A grid of routers, for people and for mappings; dimensions 0: none. At most 24. */
    uint32_t dimensions;
    uint32_t sizes[24];
} vef_plugin_shape;

typedef struct vef_plugin_topology {
    const char *name, *summary;
    const vef_plugin_parameter *parameters;
    /* Checks the values, and states the shape and `*self`. */
    int (*create)(vef_plugin_context *context, const vef_plugin_value *values,
                  vef_plugin_shape *shape, void **self);
    /* The router at the other end of a link, and its port; VEF_PLUGIN_NONE: no link. A link leads
     * back from there. */
    uint32_t (*neighbour)(const void *self, uint32_t router, uint32_t port, uint32_t *other_port);
    /* "x+": the name of a port. NULL: its number. */
    void (*port_name)(const void *self, uint32_t port, char *text, size_t text_bytes);
} vef_plugin_topology;

/* ---- routings ---- */

/* A packet at its source. */
typedef struct vef_plugin_travel {
    uint32_t source, destination; /* endpoints */
    uint32_t from, to;            /* their routers, different ones */
} vef_plugin_travel;

/* Where a packet is: in an input queue of a router, or, with in_port UINT16_MAX, at its source. */
typedef struct vef_plugin_place {
    uint32_t router;
    uint16_t in_port;
    uint8_t in_channel;
} vef_plugin_place;

/* A link and a virtual channel that a packet may take next. Those of the least `preference` that
 * have room are taken first. Freedom from deadlock rests on those with `escape`: there is always at
 * least one, and waiting for them alone cannot form a cycle. `vef verify` proves it, or shows the
 * cycle. */
typedef struct vef_plugin_candidate {
    uint16_t port;
    uint8_t channel;
    uint8_t preference;
    uint8_t escape;
} vef_plugin_candidate;

typedef struct vef_plugin_channels {
    uint32_t channels;        /* virtual channels of a link: 1 to 64 */
    uint32_t most_candidates; /* at once: 1 to 1024 */
    uint32_t route_words;     /* of a packet's route that are used: 0 to 16 */
} vef_plugin_channels;

typedef struct vef_plugin_routing {
    const char *name, *summary;
    const vef_plugin_parameter *parameters;
    /* Checks that it works on the graph. */
    int (*create)(vef_plugin_context *context, const vef_plugin_graph *graph,
                  const vef_plugin_value *values, vef_plugin_channels *channels, void **self);
    /* The route of a packet at its source, `route_words` numbers of any meaning, which are 0
     * before. It may not depend on the source endpoint beyond its router. */
    void (*begin)(const void *self, const vef_plugin_travel *travel, vef_plugin_draws *draws,
                  int16_t *route);
    /* The candidates of a packet that is not yet at the router of its destination; their number. */
    uint32_t (*candidates)(const void *self, const int16_t *route, vef_plugin_place place,
                           vef_plugin_candidate *candidates);
    /* The packet leaves the place by a candidate. NULL: that does not change its route. */
    void (*advance)(const void *self, int16_t *route, vef_plugin_place place, uint16_t port,
                    uint8_t channel);
} vef_plugin_routing;

/* ---- traffic patterns ---- */

typedef struct vef_plugin_pattern {
    const char *name, *summary;
    const vef_plugin_parameter *parameters;
    int (*create)(vef_plugin_context *context, const vef_plugin_graph *graph,
                  const vef_plugin_value *values, void **self);
    /* The destination of a message of an endpoint; VEF_PLUGIN_NONE: it never sends. */
    uint32_t (*destination)(const void *self, uint32_t source, vef_plugin_draws *draws);
    /* Adds the probability of each destination, [endpoints], of a message of an endpoint that
     * sends. NULL: its destination is always the same. */
    void (*shares)(const void *self, uint32_t source, double *share);
} vef_plugin_pattern;

/* ---- mappings ---- */

/* Bytes that a task of the program sends to another. */
typedef struct vef_plugin_traffic {
    uint32_t from, to;
    uint64_t bytes;
} vef_plugin_traffic;

typedef struct vef_plugin_mapping {
    const char *name, *summary;
    int needs_traffic;
    /* Sets the endpoint of each task, no two the same. `number` is that of `NAME(number)`, 1
     * without. The traffic has `traffic_count` items, by `from` and then `to`; it is NULL unless it
     * is needed. */
    int (*assign)(vef_plugin_context *context, const vef_plugin_graph *graph, uint64_t number,
                  uint32_t tasks, const vef_plugin_traffic *traffic, size_t traffic_count,
                  uint32_t *endpoint);
} vef_plugin_mapping;

/* ---- the object ---- */

typedef struct vef_plugin {
    uint32_t interface;  /* VEF_PLUGIN_INTERFACE */
    const char *summary; /* one line */
    /* Lists that end with NULL; NULL: none. */
    const vef_plugin_topology *const *topologies;
    const vef_plugin_routing *const *routings;
    const vef_plugin_pattern *const *patterns;
    const vef_plugin_mapping *const *mappings;
} vef_plugin;

/* What an object defines. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const vef_plugin *
vef_plugin_entry(void);

#ifdef __cplusplus
}
#endif

#endif
