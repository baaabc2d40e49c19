/* Dragonflies: groups of completely connected routers, completely connected by global links.
 *
 * Kim, Dally, Scott, Abts: "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008,
 * section 3: p endpoints and h global ports per router, a routers per group, up to a h + 1 groups;
 * balanced with a = 2p = 2h. Arrangements of global links, and fewer groups: global_links.c.
 *
 * Distances. Routers of a group are 1 hop apart. Otherwise there is a path of a local, a global and
 * a local hop, since a link joins any two groups; it is shorter if the link starts or ends at the
 * given routers. A path of two global hops, through a third group, has 2 hops as well.
 *
 * Symmetries. Rotation of the groups (global_links.h) preserves ports, so that the routers of equal
 * place are equivalent: a classes of translations. It needs an arrangement whose offsets do not
 * depend on the group. The mirror image of the groups maps routers x and global ports k as
 * global_links.h says: to themselves and to the other port of the pair (circulant), or to a - 1 - x
 * and h - 1 - k, which turns the local ports round, l to a - 2 - l. Without rotation no orbits are
 * claimed. */
#include "netmodel/topology/dragonfly/dragonfly.h"
#include "netmodel/topology/families.h"

enum { LOCAL, GLOBAL, CLASSES };

static const vef_param schema[] = {
    VEF_ENDPOINTS_ROW(vef_dragonfly, "endpoints of a router (p)"),
    {VEF_KEY(COUNT, vef_dragonfly, a), .aliases = "routers routers_per_group group_size",
     .minimum = 2, .maximum = VEF_MAX_PORTS, .help = "routers of a group"},
    VEF_GLOBAL_LINKS_ROWS(vef_dragonfly, "router", "a"),
    {.key = NULL},
};

const vef_dragonfly *vef_dragonfly_of(const vef_topology *topology) {
    return vef_topology_is(topology, &vef_topology_dragonfly) ? topology->parameters : NULL;
}

/* ---- building ---- */

static void join(const vef_dragonfly *dragonfly, vef_topology *topology) {
    const uint32_t a = dragonfly->a;
    for (uint32_t router = 0; router < topology->routers; router++) {
        const uint32_t group = router / a, place = router % a;
        for (uint32_t port = 0; port < a - 1; port++)
            vef_topology_join(topology, router, port, group * a + (place + port + 1) % a,
                              a - 2 - port);
        for (uint32_t k = 0; k < dragonfly->h; k++) {
            const vef_global_port other = vef_dragonfly_port_of(
                dragonfly,
                vef_global_links_other(&dragonfly->global,
                                       (vef_global_end){group, place * dragonfly->h + k}));
            vef_topology_join(topology, router, a - 1 + k, other.router, other.port);
        }
    }
}

/* A bit for a router, to compare two short lists quickly. */
static uint64_t bit_of(uint32_t router) {
    return UINT64_C(1) << (router * UINT32_C(0x9e3779b1) >> 26);
}

/* Whether two routers have a common neighbour over global links, given where those of each lead. */
static bool meet(const uint32_t *ends, const uint32_t *others, uint32_t h) {
    uint64_t bits = 0;
    for (uint32_t j = 0; j < h; j++)
        bits |= bit_of(others[j]);
    for (uint32_t k = 0; k < h; k++)
        for (uint32_t j = 0; j < h && (bits & bit_of(ends[k])) != 0; j++)
            if (ends[k] == others[j])
                return true;
    return false;
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    const vef_dragonfly *dragonfly = topology->parameters;
    const uint32_t a = dragonfly->a, h = dragonfly->h;
    const uint32_t here = from - from % a, there = to - to % a; /* first routers of the groups */
    if (here == there)
        return from != to;
    const uint32_t *ends = topology->neighbour + (size_t)from * topology->ports + a - 1;
    const uint32_t *others = topology->neighbour + (size_t)to * topology->ports + a - 1;
    bool near = false;
    for (uint32_t k = 0; k < h; k++) {
        if (ends[k] == to)
            return 1;
        near |= ends[k] - there < a || others[k] - here < a; /* unsigned differences */
    }
    return near || meet(ends, others, h) ? 2 : 3;
}

/* The place of the mirror image of a router. */
static uint32_t mirrored_place(const vef_dragonfly *dragonfly, uint32_t place) {
    return vef_global_links_mirrored_index(&dragonfly->global, place * dragonfly->h) / dragonfly->h;
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_dragonfly *dragonfly = vef_arena_alloc(&topology->arena, 1, sizeof *dragonfly);
    *dragonfly = *(const vef_dragonfly *)given;
    topology->parameters = dragonfly;
    const uint32_t a = dragonfly->a, h = dragonfly->h;
    dragonfly->global = (vef_global_links){.groups = dragonfly->groups,
                                           .routers = a,
                                           .h = h,
                                           .arrangement = (vef_arrangement)dragonfly->arrangement};
    vef_code code = vef_global_links_settle(&dragonfly->global, a, "a", error);
    if (code != VEF_OK)
        return code;
    topology->routers = a * dragonfly->global.groups;
    topology->ports = a - 1 + h;
    code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(dragonfly, topology);
    topology->dimensions = 2;
    topology->sizes[0] = a;
    topology->sizes[1] = dragonfly->global.groups;
    topology->link_classes = CLASSES;
    topology->distance = distance;
    topology->reflections = vef_global_links_mirror(&dragonfly->global);
    if (vef_global_links_rotate(&dragonfly->global)) {
        topology->translation_classes = a;
        const bool pairs = topology->reflections && mirrored_place(dragonfly, 0) != 0;
        topology->orbits = pairs ? (a + 1) / 2 : a;
    }
    return VEF_OK;
}

/* ---- names, symmetries ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const vef_dragonfly *dragonfly = topology->parameters;
    if (vef_dragonfly_is_global(dragonfly, port))
        snprintf(text, text_bytes, "global %u", port - (dragonfly->a - 1));
    else
        snprintf(text, text_bytes, "local +%u", port + 1);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_dragonfly *dragonfly = topology->parameters;
    snprintf(text, text_bytes, "group %u, router %u", vef_dragonfly_group(dragonfly, router),
             vef_dragonfly_place(dragonfly, router));
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    return vef_dragonfly_is_global(topology->parameters, port) ? GLOBAL : LOCAL;
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s", class == LOCAL ? "local" : "global");
}

static void axis_name(const vef_topology *topology, uint32_t axis, char *text, size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s", axis == 0 ? "routers of groups" : "groups");
}

static uint32_t reflect(const vef_topology *topology, uint32_t which, uint32_t router) {
    const vef_dragonfly *dragonfly = topology->parameters;
    (void)which;
    return vef_dragonfly_router(
        dragonfly,
        vef_global_links_mirrored_group(&dragonfly->global, vef_dragonfly_group(dragonfly, router)),
        mirrored_place(dragonfly, vef_dragonfly_place(dragonfly, router)));
}

static uint32_t reflect_port(const vef_topology *topology, uint32_t which, uint32_t port) {
    const vef_dragonfly *dragonfly = topology->parameters;
    const uint32_t first = dragonfly->a - 1;
    (void)which;
    if (port >= first)
        return first +
               vef_global_links_mirrored_index(&dragonfly->global, port - first) % dragonfly->h;
    return mirrored_place(dragonfly, 0) == 0 ? port : first - 1 - port;
}

/* Routers of equal place, and their mirror images. */
static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    const vef_dragonfly *dragonfly = topology->parameters;
    const uint32_t place = vef_dragonfly_place(dragonfly, router);
    const uint32_t mirrored = topology->reflections ? mirrored_place(dragonfly, place) : place;
    return place < mirrored ? place : mirrored;
}

/* Ports of the lesser place of an orbit; where a router's mirror image has its own place, a port
 * and its image are of one kind. */
static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_dragonfly *dragonfly = topology->parameters;
    if (topology->reflections == 0)
        return port;
    const uint32_t place = vef_dragonfly_place(dragonfly, router);
    const uint32_t mirrored = mirrored_place(dragonfly, place);
    const uint32_t image = reflect_port(topology, 0, port);
    return place < mirrored || (place == mirrored && port < image) ? port : image;
}

static uint32_t translation_class(const vef_topology *topology, uint32_t router) {
    return vef_dragonfly_place(topology->parameters, router);
}

static const char *const samples[] = {
    "{a: 4, h: 2}",
    "{a: 4, h: 2, arrangement: absolute}",
    "{a: 3, h: 2, arrangement: relative}", /* the router in the middle is its own mirror image */
    "{a: 4, h: 2, arrangement: circulant}",
    "{a: 4, h: 2, groups: 5}",                         /* two rounds */
    "{a: 4, h: 3, groups: 8}",                         /* a part of a second round */
    "{a: 3, h: 3, groups: 6, arrangement: absolute}",  /* an odd part: with the opposite group */
    "{a: 2, h: 4, groups: 6, arrangement: circulant}", /* two links to some groups */
    "{a: 2, h: 3, groups: 2, arrangement: relative}",  /* parallel links of two routers */
    NULL,
};

const vef_topology_family vef_topology_dragonfly = {
    .name = "dragonfly",
    .aliases = "canonic-dragonfly",
    .summary = "complete groups of routers, joined by global links",
    VEF_PARAMETERS(schema, vef_dragonfly),
    .build = build,
    .port_name = port_name,
    .router_name = router_name,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .orbit = orbit,
    .port_kind = port_kind,
    .translation_class = translation_class,
    .reflect = reflect,
    .reflect_port = reflect_port,
    .axis_name = axis_name,
    .samples = samples,
    .larger = "{a: 8, h: 4}",
};
