/* Topologies: routers, their ports, the neighbours, and the routers to which endpoints attach.
 *
 * A family is one file and one row of families.def. It fills in the neighbour table; the router
 * core, the analysis (netmodel/analysis/), results, help and the generic tests work from that
 * alone. Everything else is optional: names, kinds of links, symmetries. torus.c is the model of a
 * lattice (lattice.h), cube_connected_cycles.c that of any other graph. The other files here are
 * parts of one family, named like it, or of the lattice.
 *
 * The routings for arbitrary graphs support every family (netmodel/routing/graph/minimal_adaptive.c
 * and others); a specialised routing is another file and row. */
#ifndef VEF_NETMODEL_TOPOLOGY_TOPOLOGY_H
#define VEF_NETMODEL_TOPOLOGY_TOPOLOGY_H

#include "common/arena.h"
#include "common/config/config.h"
#include "common/status.h"

#include <stdint.h>
#include <stdio.h>

#define VEF_NO_ROUTER UINT32_MAX
enum {
    VEF_MAX_DIMENSIONS = 24,
    VEF_MAX_PORTS = 1024,
    VEF_MAX_LINK_CLASSES = 64,
    VEF_MAX_ROUTERS = 1 << 24,
    VEF_MAX_ROUTER_PORTS = 1 << 25, /* of all routers: tables of 192 MiB */
    VEF_MAX_ENDPOINTS_PER_ROUTER = 4096,
};

struct vef_lattice;

typedef struct vef_topology {
    const struct vef_topology_family *family;
    uint32_t routers;
    uint32_t ports; /* per router; a router may leave some unconnected */

    /* [router * ports + port]: the router at the other end (VEF_NO_ROUTER: unconnected), and that
     * router's port of the same link. */
    uint32_t *neighbour;
    uint16_t *reverse_port;

    /* Most families leave their endpoints to vef_topology_create: endpoint_router is NULL, and
     * endpoint e attaches to router e / endpoints_per_router. Other families set these three:
     * endpoint e attaches to router endpoint_router[e], and endpoints_per_router is the maximum on
     * a router. */
    uint32_t endpoints, endpoints_per_router;
    const uint32_t *endpoint_router;
    /* The configured number on each router with endpoints, at least 1; set before build, for
     * families that place endpoints themselves. */
    uint32_t endpoints_asked;

    /* Routers below this are parts of nodes, such as accelerators that forward packets: the others
     * are switches. 0: all are switches. */
    uint32_t node_routers;

    /* Consecutive endpoints of a node with a network inside, such as accelerators at one switch,
     * which are on one node for collectives. 0: the network knows of none. */
    uint32_t node_endpoints;

    /* [endpoints]: the number that the family gave each endpoint, before rails and failures
     * (vef_topology_family_endpoint). NULL: the same as here. */
    const uint32_t *endpoint_in_family;

    /* For display and mappings: routers as places in a grid, dimension 0 running fastest;
     * dimensions 0 if the family has no grid. */
    uint32_t dimensions;
    uint32_t sizes[VEF_MAX_DIMENSIONS];
    uint32_t axes; /* number of axes of cuts (family->far_side); build's default: dimensions */

    /* Number of link classes, for averages and utilisation (x, y; inner, outer; up); at least 1
     * after build. family->link_class returns the class of a link. */
    uint32_t link_classes;

    /* Symmetries. Routers of one orbit (family->orbit, below `orbits`) are mapped onto each other
     * by symmetries of the network that preserve the number of endpoints on routers, and so are two
     * links out of routers of one orbit by ports of one kind (family->port_kind). Kinds are
     * complete: each of these symmetries maps the links of an orbit and a kind onto themselves, so
     * that loads may be averaged over them. 0: nothing is claimed. 1: vertex-symmetric. */
    uint32_t orbits;

    /* Translations: symmetries of the network that preserve the ports of links and the number of
     * endpoints on routers. Those that map one router of a class (family->translation_class, below
     * `translation_classes`) onto another exist for any two of the class, and all classes have
     * equally many routers. 0: nothing is claimed. */
    uint32_t translation_classes;

    /* Reflections: symmetries of the network that preserve the number of endpoints on routers. Each
     * is its own inverse, they commute, each maps a port to the same port at all routers
     * (family->reflect and reflect_port), and the classes of translations onto each other. 0:
     * nothing is claimed. */
    uint32_t reflections;

    /* Turns: permutations of the ports of a router, alike at all routers of its orbit, which
     * commute (family->turn). For any two routers of an orbit, an endpoint of each, and a product
     * of turns a symmetry of the network maps one router onto the other, its endpoint onto the
     * other's, and its ports by that product; the ports of all routers it maps by products of
     * turns. 0: nothing is claimed. */
    uint32_t turns;

    /* Hops from one router to another by a formula, if the family has one for these parameters;
     * else NULL. */
    uint32_t (*distance)(const struct vef_topology *topology, uint32_t from, uint32_t to);

    /* [router * ports + port] of links with their own; 0: as the rest of the network. NULL: none
     * has. */
    const uint64_t *bandwidth_bits_per_s;
    const double *delay_ns;
    const double *length_m; /* of cables, whose delay is in addition to delay_ns */

    /* Set by the lattice family, for the routings that work on coordinate differences; else NULL.
     * lattice.h numbers the ports: 2d is plus in dimension d of a torus or mesh, 2d + 1 is minus.
     */
    const struct vef_lattice *lattice;

    /* With failures (failures/failures.h): what is down, the network without failures (owned), the
     * number in it of each router here, and the router here of each number in it (VEF_NO_ROUTER:
     * down). Routers that are down are left out, the others are numbered without gaps, and nothing
     * above is claimed that failures may have ended. NULL: no failures. */
    const struct vef_failures *failures;
    struct vef_topology *whole;
    const uint32_t *number_in_whole; /* [routers] */
    const uint32_t *router_of_whole; /* [whole->routers] */

    const void *parameters; /* the family's own struct, as read by its schema */
    const vef_node *node; /* that they were read from: during build, for VEF_PART_KEY; else NULL */
    struct vef_topology *part; /* the network of VEF_PART_KEY, of a family that is made of copies of
                                  another network; owned. NULL: none */
    const void *details;       /* further data of the family; NULL: none */
    void *library;             /* of a family from a plug-in (common/plugin/); else NULL */
    vef_arena arena;           /* holds all of the above */
} vef_topology;

typedef struct vef_topology_family {
    const char *name;
    const char *aliases; /* other words for it, for hints (vef_known); may be NULL */
    const char *summary; /* one line */
    const vef_param *schema;
    size_t parameter_bytes; /* of the struct of the schema's fields; 0: it has none */
    /* Checks the parameters and fills in `topology` (routers, ports, neighbours, and optional
     * attributes), with memory from its arena. Refuses (VEF_INVALID) with the reason and the
     * accepted values. */
    vef_code (*build)(const void *parameters, vef_topology *topology, vef_error *error);

    /* ---- optional: may be NULL ---- */

    /* "x+", "y-": the name of a port; NULL: its number. */
    void (*port_name)(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes);
    /* NULL: its coordinates, or its number. */
    void (*router_name)(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes);
    /* The class of the link at a connected port, the same from both of its ends; and its name.
     * NULL: all links are of one class. */
    uint32_t (*link_class)(const vef_topology *topology, uint32_t router, uint32_t port);
    void (*link_class_name)(const vef_topology *topology, uint32_t link_class, char *text,
                            size_t text_bytes);
    /* See `orbits`. port_kind NULL: each port is a separate kind. Kinds are below `ports`. */
    uint32_t (*orbit)(const vef_topology *topology, uint32_t router);
    uint32_t (*port_kind)(const vef_topology *topology, uint32_t router, uint32_t port);
    /* See `translation_classes`; NULL: there is at most one. */
    uint32_t (*translation_class)(const vef_topology *topology, uint32_t router);
    /* See `reflections`: the image of a router, or of a port, under reflection number `which`. */
    uint32_t (*reflect)(const vef_topology *topology, uint32_t which, uint32_t router);
    uint32_t (*reflect_port)(const vef_topology *topology, uint32_t which, uint32_t port);
    /* See `turns`: the image of a port of a router under turn number `which`. */
    uint32_t (*turn)(const vef_topology *topology, uint32_t which, uint32_t router, uint32_t port);
    /* The side of a router relative to the cut across `axis`: the halves differ only as much as odd
     * sizes require. NULL: the upper half of the coordinate in grid dimension `axis`. */
    bool (*far_side)(const vef_topology *topology, uint32_t axis, uint32_t router);
    /* NULL: named like ports along it, "x" to "z" for up to three axes, else "d0", "d1", …; a
     * family whose `axes` are not grid dimensions names them. */
    void (*axis_name)(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes);

    /* Parameter sets for the generic tests, of networks small enough for searches from every
     * router, each a YAML mapping without the key `family`; terminated by NULL. At least one: it is
     * the example in `vef list networks`. */
    const char *const *samples;
    /* Parameters, likewise, of a network of about 100 to 1,000 routers, for measurements (make
     * verification). NULL: the family has none of its own. */
    const char *larger;
    bool lattice; /* built by vef_lattice_build: `lattice` of its topologies is set */
} vef_topology_family;

extern const vef_topology_family *const vef_topology_families[]; /* terminated by NULL */
extern const struct vef_plugin_point vef_topology_point;         /* rows of plug-ins */

/* The schema row of families whose definition includes the number of endpoints: field
 * `endpoints_per_router` of their parameters (uint32_t; 0: auto). The number that applies is
 * `endpoints_asked` of the topology, whichever key gave it. */
#define VEF_ENDPOINTS_KEY "endpoints_per_router"
#define VEF_ENDPOINTS_ROW(type, text)                                                              \
    {                                                                                              \
        VEF_KEY(COUNT, type, endpoints_per_router),                                                \
            .fallback = "auto", .word = "auto", .minimum = 1,                                      \
            .maximum = VEF_MAX_ENDPOINTS_PER_ROUTER,                                               \
            .aliases = "p t concentration endpoints terminals hosts_per_router",                   \
            .help = text "; auto: as the key of that name outside `topology`"                      \
    }

/* The key of a section with a network, or with its routing, of which a family is made. */
#define VEF_PART_KEY "of"

/* Builds the topology of `node` ({family: torus, sizes: [8, 8]}). `endpoints_per_router` is the
 * network's; 0: not given. A family with VEF_ENDPOINTS_ROW takes it from either place and refuses
 * different numbers. 1 if neither gives it. */
vef_code vef_topology_create(const vef_node *node, uint32_t endpoints_per_router,
                             vef_topology **topology, vef_error *error);
/* The same, with the number from `key` of the network (NULL or null: not given). Of two different
 * numbers, one from the command line overrides one from the file. */
vef_code vef_topology_create_beside(const vef_node *node, const vef_node *key,
                                    uint32_t endpoints_per_router, vef_topology **topology,
                                    vef_error *error);
/* Whether the family exists, and its keys and values are known; builds nothing. */
vef_code vef_topology_check(const vef_node *node, vef_error *error);
void vef_topology_destroy(vef_topology *topology); /* NULL is fine */

/* The network without failures, which the attributes of the family describe; `topology` itself if
 * nothing is down. */
const vef_topology *vef_topology_whole(const vef_topology *topology);

/* The number of a router in the network without failures, as people write it and reports show it;
 * and the router of that number, VEF_NO_ROUTER if it is down or there is none. */
uint32_t vef_topology_router_number(const vef_topology *topology, uint32_t router);
uint32_t vef_topology_router_numbered(const vef_topology *topology, uint32_t number);

/* Whether a topology is of a family and has no failures, so that the family's formulas hold. */
bool vef_topology_is(const vef_topology *topology, const vef_topology_family *family);

/* The router to which an endpoint attaches. */
uint32_t vef_topology_router_of(const vef_topology *topology, uint32_t endpoint);

/* Whether a router is a switch, not part of a node (node_routers). */
bool vef_topology_is_switch(const vef_topology *topology, uint32_t router);

/* The number of an endpoint in the order of the family, for its formulas. */
static inline uint32_t vef_topology_family_endpoint(const vef_topology *topology,
                                                    uint32_t endpoint) {
    return topology->endpoint_in_family ? topology->endpoint_in_family[endpoint] : endpoint;
}

/* Renumbers the endpoints so that of each `rails` consecutive ones, a node, number i is on rail i.
 * The endpoints are divided, in the order of the family, into `pods` equal parts, and each of these
 * into the rails: parts of whole routers, such as a leaf or a subtree. Refuses (VEF_INVALID) what
 * does not divide so. */
vef_code vef_topology_lay_rails(vef_topology *topology, uint32_t rails, uint32_t pods,
                                vef_error *error);

/* Renumbers the endpoints: number e of the family's order->values[e]. An empty list leaves them as
 * they are. Refuses (VEF_INVALID) what does not have each number once, and to order twice. */
vef_code vef_topology_order_endpoints(vef_topology *topology, const vef_int_list *order,
                                      vef_error *error);

/* For families: takes memory for the tables of `topology`, whose `routers` and `ports` are set (and
 * checked against the limits here), with every port unconnected. vef_topology_join connects two
 * ports. */
vef_code vef_topology_make_ports(vef_topology *topology, vef_error *error);
void vef_topology_join(vef_topology *topology, uint32_t router, uint32_t port, uint32_t other,
                       uint32_t other_port);
/* For families: attaches the configured number of endpoints to each of the first `routers` routers.
 */
vef_code vef_topology_attach_first(vef_topology *topology, uint32_t routers, vef_error *error);
/* For families on a torus, whose `dimensions` and `sizes` are set: joins the router's port `plus`
 * with port `plus` + 1 of the router that is step[d] (below sizes[d]) further along each dimension
 * d, modulo the size. Where two steps lead back, both ports would lead to the same router: the link
 * is one, between the ports `plus`. */
void vef_topology_join_step(vef_topology *topology, uint32_t router, uint32_t plus,
                            const uint32_t *step);

/* The router at the other end of the link at a port; VEF_NO_ROUTER: there is none. */
static inline uint32_t vef_topology_next(const vef_topology *topology, uint32_t router,
                                         uint32_t port) {
    return topology->neighbour[(size_t)router * topology->ports + port];
}

/* The attributes from the family, or their defaults. */
uint32_t vef_topology_link_class(const vef_topology *topology, uint32_t router, uint32_t port);
void vef_topology_link_class_name(const vef_topology *topology, uint32_t link_class, char *text,
                                  size_t text_bytes);
uint32_t vef_topology_orbit(const vef_topology *topology, uint32_t router); /* orbits > 0 only */
uint32_t vef_topology_port_kind(const vef_topology *topology, uint32_t router, uint32_t port);
/* translation_classes > 0 only */
uint32_t vef_topology_translation_class(const vef_topology *topology, uint32_t router);
bool vef_topology_far_side(const vef_topology *topology, uint32_t axis, uint32_t router);
void vef_topology_axis_name(const vef_topology *topology, uint32_t axis, char *text,
                            size_t text_bytes);

/* Coordinates of a router in the grid (`dimensions` of them), and back (VEF_NO_ROUTER: the router
 * there is down). */
void vef_topology_coordinates(const vef_topology *topology, uint32_t router, uint32_t *coordinates);
uint32_t vef_topology_router_at(const vef_topology *topology, const uint32_t *coordinates);

/* For display: "(5, 2)", or the router's number if coordinates add nothing; and "x+", or "port 3"
 * if the family has no names. */
enum {
    VEF_ROUTER_NAME_BYTES = 12 * VEF_MAX_DIMENSIONS + 4,
    VEF_PORT_NAME_BYTES = 12 * VEF_MAX_DIMENSIONS,
    VEF_CLASS_NAME_BYTES = VEF_PORT_NAME_BYTES,
    VEF_AXIS_NAME_BYTES = 32,
};
void vef_topology_router_name(const vef_topology *topology, uint32_t router, char *text,
                              size_t text_bytes);
void vef_topology_port_name(const vef_topology *topology, uint32_t port, char *text,
                            size_t text_bytes);

/* A router as people write it: "17", "3,4" or "(3, 4)". Reads one and returns the rest of the text;
 * NULL if invalid (find_router.c). */
typedef struct vef_router_place {
    uint32_t number[VEF_MAX_DIMENSIONS]; /* its number, or its coordinates */
    uint32_t count;
} vef_router_place;
const char *vef_topology_read_place(const char *text, vef_router_place *read);

/* The number (vef_topology_router_number) of the router at a place, or of the one called `text`: a
 * place or a name, blanks and parentheses aside. */
vef_code vef_topology_find_place(const vef_topology *topology, const vef_router_place *place,
                                 uint32_t *number, vef_error *error);
vef_code vef_topology_find_router(const vef_topology *topology, const char *text, uint32_t *number,
                                  vef_error *error);

/* Adds the topology section of the resolved configuration. */
void vef_topology_put(const vef_topology *topology, vef_node *into);

#endif
