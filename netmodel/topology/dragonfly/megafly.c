/* Megaflies, or dragonfly+: groups of leaves and spines, each leaf linked with each spine of its
 * group; endpoints on leaves, global links between spines.
 *
 * Shpiner et al.: "Dragonfly+: Low Cost Topology for Scaling Datacenters", HiPINEB 2017; Flajslik,
 * Borch, Parker: "Megafly: A Topology for Exascale Systems", ISC 2018. Usually a group has as many
 * leaves as spines, and as many endpoints at a leaf as it has spines. Arrangements of global links,
 * and fewer than spines x h + 1 groups: global_links.c.
 *
 * Distances from a leaf. To a leaf: 2 hops in the group, else 3, since a link joins any two groups,
 * and the leaf reaches all spines of its own. To a spine of its group: 1 hop; of another one: 1
 * more than the global hops from some spine of the group if these are 1 or 2, else 4, through the
 * link between the groups and a leaf of the other one.
 *
 * Symmetries. Any permutation of the leaves of a group is one, so all of them are equivalent, and
 * all down ports of a spine. Rotation of the groups preserves ports and makes equivalent the
 * leaves of all groups, and the spines of equal place. The mirror image of the groups exchanges
 * spines, or pairs of their global ports, as in a dragonfly, and leaves the places of leaves. */
#include "netmodel/topology/dragonfly/megafly.h"
#include "netmodel/topology/families.h"

enum { LOCAL, GLOBAL, CLASSES };

static const vef_param schema[] = {
    VEF_ENDPOINTS_ROW(vef_megafly, "endpoints of a leaf"),
    {VEF_KEY(COUNT, vef_megafly, leaves), .aliases = "group_size leafs", .minimum = 1,
     .maximum = VEF_MAX_PORTS, .help = "routers with endpoints in a group"},
    {VEF_KEY_AS("spines", COUNT, vef_megafly, spines_given), .fallback = "auto", .word = "auto",
     .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "routers with global links in a group; auto: as many as leaves"},
    VEF_GLOBAL_LINKS_ROWS(vef_megafly, "spine", "spines"),
    {.key = NULL},
};

const vef_megafly *vef_megafly_of(const vef_topology *topology) {
    return vef_topology_is(topology, &vef_topology_megafly) ? topology->parameters : NULL;
}

/* ---- distances ---- */

/* The routers at the global ports of a spine. */
static const uint32_t *global_ends(const vef_topology *topology, uint32_t spine) {
    const vef_megafly *megafly = topology->parameters;
    return topology->neighbour + (size_t)spine * topology->ports +
           vef_megafly_global_port(megafly, 0);
}

static bool leads_to(const vef_topology *topology, uint32_t spine, uint32_t group) {
    const vef_megafly *megafly = topology->parameters;
    const uint32_t *ends = global_ends(topology, spine);
    for (uint32_t k = 0; k < megafly->h; k++)
        if (vef_megafly_group(megafly, ends[k]) == group)
            return true;
    return false;
}

static uint32_t hops_from_leaf(const vef_topology *topology, uint32_t group, uint32_t spine) {
    const vef_megafly *megafly = topology->parameters;
    const uint32_t *ends = global_ends(topology, spine);
    if (vef_megafly_group(megafly, spine) == group)
        return 1;
    if (leads_to(topology, spine, group))
        return 2;
    for (uint32_t k = 0; k < megafly->h; k++)
        if (leads_to(topology, ends[k], group))
            return 3;
    return 4;
}

/* Hops between spines if they are at most `most`, else more: the first hop leads to a leaf, or is
 * global. Spines have no endpoints, so routings do not need these. */
static uint32_t hops_from_spine(const vef_topology *topology, uint32_t from, uint32_t to,
                                uint32_t most) {
    const vef_megafly *megafly = topology->parameters;
    const uint32_t *ends = global_ends(topology, from);
    if (from == to || most == 0)
        return from != to;
    for (uint32_t k = 0; k < megafly->h; k++)
        if (ends[k] == to)
            return 1;
    uint32_t least = 1 + hops_from_leaf(topology, vef_megafly_group(megafly, from), to);
    least = least < most + 1 ? least : most + 1;
    for (uint32_t k = 0; k < megafly->h && least > 2; k++) {
        const uint32_t hops = 1 + hops_from_spine(topology, ends[k], to, least - 2);
        least = hops < least ? hops : least;
    }
    return least;
}

static uint32_t distance(const vef_topology *topology, uint32_t from, uint32_t to) {
    enum { MOST = 5 }; /* to a leaf, from leaf to spine */
    const vef_megafly *megafly = topology->parameters;
    const bool leaf = vef_megafly_is_leaf(megafly, from);
    if (from == to)
        return 0;
    if (leaf && vef_megafly_is_leaf(megafly, to))
        return vef_megafly_group(megafly, from) == vef_megafly_group(megafly, to) ? 2 : 3;
    if (leaf)
        return hops_from_leaf(topology, vef_megafly_group(megafly, from), to);
    if (vef_megafly_is_leaf(megafly, to))
        return hops_from_leaf(topology, vef_megafly_group(megafly, to), from);
    return hops_from_spine(topology, from, to, MOST);
}

/* ---- building ---- */

static void join(const vef_megafly *megafly, vef_topology *topology) {
    for (uint32_t group = 0; group < megafly->global.groups; group++)
        for (uint32_t s = 0; s < megafly->spines; s++) {
            const uint32_t spine = vef_megafly_spine(megafly, group, s);
            for (uint32_t l = 0; l < megafly->leaves; l++)
                vef_topology_join(topology, spine, vef_megafly_down_port(megafly, l),
                                  vef_megafly_leaf(megafly, group, l),
                                  vef_megafly_up_port(megafly, s));
            for (uint32_t k = 0; k < megafly->h; k++) {
                const vef_global_end end = {group, s * megafly->h + k};
                const vef_global_port other =
                    vef_megafly_port_of(megafly, vef_global_links_other(&megafly->global, end));
                vef_topology_join(topology, spine, vef_megafly_global_port(megafly, k),
                                  other.router, other.port);
            }
        }
}

static vef_code attach(const vef_megafly *megafly, vef_topology *topology, vef_error *error) {
    const uint32_t each = topology->endpoints_asked;
    const uint64_t leaves = (uint64_t)megafly->global.groups * megafly->leaves;
    if (leaves * each >= UINT32_MAX)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u at each of %llu leaves: out of range: expected 1 "
                        "to %llu",
                        each, (unsigned long long)leaves,
                        (unsigned long long)((UINT32_MAX - 1) / leaves));
    const uint32_t endpoints = (uint32_t)leaves * each;
    uint32_t *routers = vef_arena_alloc(&topology->arena, endpoints, sizeof *routers);
    for (uint32_t endpoint = 0; endpoint < endpoints; endpoint++) {
        const uint32_t leaf = endpoint / each;
        routers[endpoint] =
            vef_megafly_leaf(megafly, leaf / megafly->leaves, leaf % megafly->leaves);
    }
    topology->endpoints = endpoints;
    topology->endpoints_per_router = each;
    topology->endpoint_router = routers;
    return VEF_OK;
}

static uint32_t mirrored_spine(const vef_megafly *megafly, uint32_t s) {
    return vef_global_links_mirrored_index(&megafly->global, s * megafly->h) / megafly->h;
}

/* Orbits of a group that is like all others (see `orbit`): its leaves, and spines. */
static uint32_t orbits_of_group(const vef_topology *topology) {
    const vef_megafly *megafly = topology->parameters;
    const bool pairs = vef_global_links_rotate(&megafly->global) && topology->reflections &&
                       mirrored_spine(megafly, 0) != 0;
    return 1 + (pairs ? (megafly->spines + 1) / 2 : megafly->spines);
}

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    vef_megafly *megafly = vef_arena_alloc(&topology->arena, 1, sizeof *megafly);
    *megafly = *(const vef_megafly *)given;
    topology->parameters = megafly;
    megafly->spines = megafly->spines_given != 0 ? megafly->spines_given : megafly->leaves;
    megafly->routers = megafly->leaves + megafly->spines;
    megafly->global = (vef_global_links){.groups = megafly->groups,
                                         .routers = megafly->spines,
                                         .h = megafly->h,
                                         .arrangement = (vef_arrangement)megafly->arrangement};
    vef_code code = vef_global_links_settle(&megafly->global, megafly->routers, "spines", error);
    if (code != VEF_OK)
        return code;
    const uint32_t groups = megafly->global.groups;
    topology->routers = groups * megafly->routers;
    topology->ports = megafly->routers + megafly->h;
    code = attach(megafly, topology, error);
    if (code == VEF_OK)
        code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    join(megafly, topology);
    topology->link_classes = CLASSES;
    topology->distance = distance;
    topology->reflections = vef_global_links_mirror(&megafly->global);
    const bool rotates = vef_global_links_rotate(&megafly->global);
    topology->translation_classes = rotates ? megafly->routers : 0;
    topology->orbits = orbits_of_group(topology) * (rotates ? 1 : groups);
    return VEF_OK;
}

/* ---- names ---- */

static void port_name(const vef_topology *topology, uint32_t port, char *text, size_t text_bytes) {
    const vef_megafly *megafly = topology->parameters;
    if (port < megafly->leaves)
        snprintf(text, text_bytes, "down %u", port);
    else if (port < megafly->routers)
        snprintf(text, text_bytes, "up %u", port - megafly->leaves);
    else
        snprintf(text, text_bytes, "global %u", port - megafly->routers);
}

static void router_name(const vef_topology *topology, uint32_t router, char *text,
                        size_t text_bytes) {
    const vef_megafly *megafly = topology->parameters;
    snprintf(text, text_bytes, "group %u, %s %u", vef_megafly_group(megafly, router),
             vef_megafly_is_leaf(megafly, router) ? "leaf" : "spine",
             vef_megafly_place(megafly, router));
}

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)router;
    return port < ((const vef_megafly *)topology->parameters)->routers ? LOCAL : GLOBAL;
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "%s", class == LOCAL ? "local" : "global");
}

/* ---- symmetries ---- */

static uint32_t reflect(const vef_topology *topology, uint32_t which, uint32_t router) {
    const vef_megafly *megafly = topology->parameters;
    const uint32_t place = vef_megafly_place(megafly, router);
    const uint32_t group =
        vef_global_links_mirrored_group(&megafly->global, vef_megafly_group(megafly, router));
    (void)which;
    return vef_megafly_is_leaf(megafly, router)
               ? vef_megafly_leaf(megafly, group, place)
               : vef_megafly_spine(megafly, group, mirrored_spine(megafly, place));
}

static uint32_t reflect_port(const vef_topology *topology, uint32_t which, uint32_t port) {
    const vef_megafly *megafly = topology->parameters;
    (void)which;
    if (port < megafly->leaves)
        return port;
    if (port < megafly->routers)
        return vef_megafly_up_port(megafly, mirrored_spine(megafly, port - megafly->leaves));
    const uint32_t k = port - megafly->routers;
    return vef_megafly_global_port(megafly, vef_global_links_mirrored_index(&megafly->global, k) %
                                                megafly->h);
}

/* The leaves of a group, then each spine, or with rotation each pair of mirror images; of all
 * groups together with rotation, else of each (the mirror image of the groups is not used then). */
static uint32_t orbit(const vef_topology *topology, uint32_t router) {
    const vef_megafly *megafly = topology->parameters;
    const bool rotates = topology->translation_classes != 0;
    const uint32_t first =
        rotates ? 0 : vef_megafly_group(megafly, router) * orbits_of_group(topology);
    if (vef_megafly_is_leaf(megafly, router))
        return first;
    const uint32_t place = vef_megafly_place(megafly, router);
    const uint32_t image =
        rotates && topology->reflections ? mirrored_spine(megafly, place) : place;
    return first + 1 + (place < image ? place : image);
}

static uint32_t port_kind(const vef_topology *topology, uint32_t router, uint32_t port) {
    const vef_megafly *megafly = topology->parameters;
    if (port < megafly->leaves)
        return 0;
    if (topology->translation_classes == 0 || topology->reflections == 0)
        return port;
    const uint32_t place = vef_megafly_place(megafly, router);
    const uint32_t mirrored =
        vef_megafly_is_leaf(megafly, router) ? place : mirrored_spine(megafly, place);
    const uint32_t image = reflect_port(topology, 0, port);
    return place < mirrored || (place == mirrored && port < image) ? port : image;
}

static uint32_t translation_class(const vef_topology *topology, uint32_t router) {
    return router % ((const vef_megafly *)topology->parameters)->routers;
}

static const char *const samples[] = {
    "{leaves: 3, h: 3}", /* 10 groups */
    "{leaves: 2, h: 3, arrangement: absolute}",
    "{leaves: 4, spines: 3, h: 2, arrangement: circulant}",
    "{leaves: 2, spines: 4, h: 2, groups: 6, arrangement: relative}",
    "{leaves: 1, spines: 3, h: 3, groups: 4}",
    NULL,
};

const vef_topology_family vef_topology_megafly = {
    .name = "megafly",
    .aliases = "dragonfly+ dragonfly-plus dragonflyplus",
    .summary = "dragonfly+: groups of leaves and spines, joined by global links",
    VEF_PARAMETERS(schema, vef_megafly),
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
    .samples = samples,
    .larger = "{leaves: 4, h: 4}",
};
