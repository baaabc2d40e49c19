/* Nodes with a network inside: accelerators on a switch or in a full mesh, and interfaces to the
 * network between nodes.
 *
 * The scale-up networks that are sold: a switch of eight or of 72 accelerators (NVIDIA, "DGX H100
 * System Architecture" and "GB200 NVL72"), a full mesh of eight (AMD, "Instinct MI300X Platform
 * Data Sheet"). Interface j of a node belongs to accelerators j A / M on, of A with M interfaces:
 * one each, or M that several share. With `rails` interface j of every node is on rail j (Wang et
 * al., arXiv 2307.12169, 2023, section II).
 *
 * These are planes (planes.c), usually one. Closed forms, for N nodes, A accelerators and M
 * interfaces each, p planes of L links: p (L + N M) links, and N A (A - 1) / 2 more of full meshes.
 */
#include "netmodel/topology/accelerators/planes.h"
#include "netmodel/topology/families.h"

enum { SWITCH, MESH };

typedef struct parameters {
    uint32_t accelerators, nics, planes, rails, pods;
    int inside;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(COUNT, parameters, accelerators), .fallback = "8", .aliases = "gpus domain size",
     .minimum = 1, .maximum = VEF_MAX_PORTS / 2,
     .help = "accelerators of a node, each with endpoints_per_router endpoints"},
    {VEF_KEY(CHOICE, parameters, inside), .fallback = "switch",
     .choices = VEF_LIST([SWITCH] = "switch", [MESH] = "mesh"),
     .aliases = "scale_up network_inside nvlink",
     .help = "what joins the accelerators of a node: one switch, or a link between any two"},
    {VEF_KEY(COUNT, parameters, nics), .fallback = "auto", .word = "auto", .minimum = 1,
     .maximum = VEF_MAX_PORTS / 2, .aliases = "interfaces adapters hcas",
     .help = "interfaces of a node: a divisor of the accelerators; auto: as many"},
    {VEF_KEY(COUNT, parameters, planes), .fallback = "1", .minimum = 1, .maximum = 64,
     .aliases = "count copies",
     .help = "copies of the network between nodes, with a port of every interface in each"},
    {.key = VEF_PART_KEY,
     .kind = VEF_PARAM_SECTION,
     .aliases = "between network topology scale_out",
     .help = "the network between nodes: family and its parameters; its endpoints are interfaces; "
             "required"},
    {VEF_KEY(COUNT, parameters, rails), .fallback = "1", .minimum = 1, .maximum = VEF_MAX_PORTS,
     .help = "as the key of that name outside `topology`, for the network between nodes"},
    {VEF_KEY(COUNT, parameters, pods), .fallback = "1", .minimum = 1, .maximum = UINT32_MAX,
     .help = "likewise"},
    {.key = NULL},
};

static vef_code build(const void *given, vef_topology *topology, vef_error *error) {
    const parameters *keys = given;
    const uint32_t accelerators = keys->accelerators, each = topology->endpoints_asked;
    const uint32_t nics = keys->nics ? keys->nics : accelerators;
    vef_planes *planes = vef_arena_alloc(&topology->arena, 1, sizeof *planes);
    if (accelerators % nics != 0)
        return vef_fail(error, VEF_INVALID,
                        "nics: %u: expected a divisor of %u accelerators; several ports of an "
                        "accelerator are `planes`",
                        nics, accelerators);
    if (each > VEF_MAX_ENDPOINTS_PER_ROUTER / accelerators)
        return vef_fail(error, VEF_INVALID,
                        "endpoints_per_router: %u at each of %u accelerators: out of range: "
                        "expected 1 to %u",
                        each, accelerators, VEF_MAX_ENDPOINTS_PER_ROUTER / accelerators);
    *planes = (vef_planes){.count = keys->planes,
                           .nics = nics,
                           .accelerators = accelerators,
                           .routers_each = keys->inside == MESH ? accelerators : 1,
                           .endpoints_each = each,
                           .names = {"node", "plane", "inside"}};
    vef_code code = vef_planes_create_part(topology, 0, error);
    if (code == VEF_OK)
        code = vef_topology_lay_rails(topology->part, keys->rails, keys->pods, error);
    return code == VEF_OK ? vef_planes_build(topology, planes, error) : code;
}

const vef_topology_family vef_topology_nodes = {
    .name = "nodes",
    .aliases = "scale-up servers gpus dgx nvl72",
    .summary = "nodes of accelerators with a switch or full mesh inside, and a network between",
    VEF_PARAMETERS(schema, parameters),
    .build = build,
    VEF_PLANES_FUNCTIONS,
    .samples =
        VEF_LIST("{accelerators: 4, of: {family: xgft, m: [4, 4], w: [1, 4]}, rails: 4}",
                 "{accelerators: 4, inside: mesh, nics: 2, of: {family: torus, sizes: [4, 3]}}",
                 "{accelerators: 4, nics: 2, planes: 2, of: {family: star, endpoints: 8}}",
                 "{accelerators: 3, inside: mesh, planes: 2, of: {family: hyperx, sizes: [6]}}"),
    .larger = "{inside: mesh, of: {family: xgft, m: [16, 8], w: [1, 8]}, rails: 8}",
};
