/* A plug-in that says one thing that is not so: LIE selects it (test_plugin.sh compiles it once for
 * each). Without a lie it is a ring of 8 routers with two virtual channels and a dateline. */
#include "common/plugin/plugin.h"
#include "mappings/mapping.h"
#include "netmodel/routing/routing.h"
#include "netmodel/traffic/traffic.h"

enum lie {
    NONE,
    LINK_NOT_BACK,
    ROUTER_OUT_OF_RANGE,
    LINK_TO_ITSELF,
    CLASS_OUT_OF_RANGE,
    GRID_TOO_SMALL,
    ENDPOINT_OUT_OF_RANGE,
    NO_ORBIT,
    CHANNEL_OUT_OF_RANGE,
    PORT_OUT_OF_RANGE,
    NO_PLACE,
    NO_ESCAPE,
    NO_CANDIDATES,
    TOO_MANY_CANDIDATES,
    NEVER_ARRIVES,
    TOO_MANY_CHANNELS,
    TOO_MANY_WORDS,
    WORD_BEYOND,
    OTHER_STEPS,
    OTHER_SIGNATURE,
    NO_COST,
    DEADLOCK,
    DEADLOCK_CLAIMED_UNIFORM,
    DESTINATION_OUT_OF_RANGE,
    SHARES_OF_TWO,
    TASKS_TOGETHER,
    TASK_OUT_OF_RANGE,
    UNPLACED_TASK,
    REFUSES,
    OTHER_INTERFACE,
    NO_NAME,
    NO_FUNCTION,
    NO_SCHEMA,
    NO_STRUCT,
};

enum { ROUTERS = 8, FORWARD = 0, BACK = 1, PORTS = 2 };

static const vef_param no_keys[] = {{.key = NULL}};
static const vef_param one_key[] = {
    {.key = "length", .kind = VEF_PARAM_COUNT, .fallback = "1", .help = "of the ring"},
    {.key = NULL}};

/* ---- the ring ---- */

static uint32_t link_class(const vef_topology *topology, uint32_t router, uint32_t port) {
    (void)topology;
    (void)port;
    return LIE == CLASS_OUT_OF_RANGE && router == 5 ? 2 : 0;
}

static void link_class_name(const vef_topology *topology, uint32_t class, char *text,
                            size_t text_bytes) {
    (void)topology;
    snprintf(text, text_bytes, "class %u", class);
}

static uint32_t translation_class(const vef_topology *topology, uint32_t router) {
    (void)topology;
    (void)router;
    return 0;
}

static vef_code build(const void *parameters, vef_topology *topology, vef_error *error) {
    (void)parameters;
    if (LIE == REFUSES)
        return vef_fail(error, VEF_INVALID, "not today");
    topology->routers = ROUTERS;
    topology->ports = PORTS;
    const vef_code code = vef_topology_make_ports(topology, error);
    if (code != VEF_OK)
        return code;
    for (uint32_t router = 0; router < ROUTERS; router++)
        vef_topology_join(topology, router, FORWARD, (router + 1) % ROUTERS, BACK);
    if (LIE == LINK_NOT_BACK)
        topology->reverse_port[3 * PORTS] = FORWARD;
    if (LIE == ROUTER_OUT_OF_RANGE)
        topology->neighbour[0] = ROUTERS;
    if (LIE == LINK_TO_ITSELF)
        topology->neighbour[0] = 0;
    topology->link_classes = 2;
    topology->orbits = LIE == NO_ORBIT ? 2 : 0;
    topology->translation_classes = LIE == DEADLOCK_CLAIMED_UNIFORM;
    if (LIE == GRID_TOO_SMALL) {
        topology->dimensions = 1;
        topology->sizes[0] = ROUTERS - 1;
    }
    if (LIE == ENDPOINT_OUT_OF_RANGE) {
        static const uint32_t routers[] = {0, ROUTERS};
        topology->endpoint_router = routers;
        topology->endpoints = 2;
        topology->endpoints_per_router = 1;
    }
    return VEF_OK;
}

static const vef_topology_family ring = {
    .name = LIE == NO_NAME ? NULL : "liar-ring",
    .summary = "a ring",
    .schema = LIE == NO_SCHEMA   ? NULL
              : LIE == NO_STRUCT ? one_key
                                 : no_keys,
    .build = LIE == NO_FUNCTION ? NULL : build,
    .link_class = link_class,
    .link_class_name = link_class_name,
    .translation_class = translation_class,
};

/* ---- forward, with a dateline ---- */

enum { PHASE, WORDS }; /* of a route */
/* CROSSED: beyond the dateline, between routers 7 and 0. CARELESS: it has none. COUNTING and more:
 * a channel for each hop. */
enum { BEFORE, CROSSED, CARELESS, COUNTING };

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error) {
    (void)topology;
    (void)flow_control;
    (void)parameters;
    (void)error;
    return VEF_OK;
}

static vef_code create(vef_routing *routing, vef_error *error) {
    static const vef_route_step steps[PORTS] = {{.word = PHASE, .change = 1}};
    (void)error;
    routing->channels = LIE == TOO_MANY_CHANNELS          ? 65
                        : LIE == DEADLOCK_CLAIMED_UNIFORM ? ROUTERS
                                                          : 2;
    routing->most_candidates = 1;
    routing->route_words = LIE == TOO_MANY_WORDS ? VEF_ROUTE_WORDS + 1 : WORDS;
    routing->least_queue_packets = 1;
    routing->steps = LIE == OTHER_STEPS ? steps : NULL;
    routing->signatures = LIE == OTHER_SIGNATURE;
    routing->selection = LIE == NO_COST ? VEF_SELECT_COST : VEF_SELECT_CREDITS;
    routing->uniform = LIE == DEADLOCK_CLAIMED_UNIFORM;
    return VEF_OK;
}

static void begin(const vef_routing *routing, const vef_travel *travel, vef_draws *draws,
                  vef_route *route) {
    (void)routing;
    (void)draws;
    *route = (vef_route){{BEFORE}};
    if (LIE == DEADLOCK)
        route->words[PHASE] = CARELESS;
    if (LIE == DEADLOCK_CLAIMED_UNIFORM) /* a proof that believes it looks at those to router 0 */
        route->words[PHASE] = travel->to == 0 ? COUNTING : CARELESS;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    (void)routing;
    const bool crosses = place.router == ROUTERS - 1;
    const int16_t phase = route->words[PHASE];
    uint8_t channel = phase == CROSSED || (crosses && phase == BEFORE);
    if (phase >= COUNTING)
        channel = (uint8_t)(phase - COUNTING);
    if (LIE == CHANNEL_OUT_OF_RANGE && place.router == 5)
        channel = 2;
    offered[0] =
        (vef_candidate){.port = LIE == PORT_OUT_OF_RANGE && place.router == 5 ? 9 : FORWARD,
                        .channel = channel,
                        .slots_needed = LIE != NO_PLACE,
                        .escape = LIE != NO_ESCAPE};
    if (LIE == NEVER_ARRIVES) /* to and fro */
        offered[0].port = place.router % 2 ? BACK : FORWARD;
    return LIE == TOO_MANY_CANDIDATES ? 2 : LIE != NO_CANDIDATES;
}

static uint32_t signature(const vef_routing *routing, const vef_route *route) {
    (void)routing;
    (void)route;
    return 1;
}

static void advance(const vef_routing *routing, vef_route *route, vef_place place, uint16_t port,
                    uint8_t channel) {
    (void)routing;
    (void)port;
    (void)channel;
    if (place.router == ROUTERS - 1 && route->words[PHASE] == BEFORE)
        route->words[PHASE] = CROSSED;
    if (route->words[PHASE] >= COUNTING)
        route->words[PHASE]++;
    if (LIE == WORD_BEYOND)
        route->words[WORDS] = 1;
}

static const vef_routing_algorithm forward = {
    .name = "liar-forward",
    .summary = "forward, with a dateline",
    .schema = no_keys,
    .supports = supports,
    .create = create,
    .begin = begin,
    .candidates = candidates,
    .signature = signature,
    .advance = advance,
};

/* ---- to the next ---- */

static vef_code make_pattern(vef_pattern *pattern, vef_error *error) {
    (void)pattern;
    (void)error;
    return VEF_OK;
}

static uint32_t destination(const vef_pattern *pattern, uint32_t source, vef_rng *rng) {
    (void)pattern;
    (void)rng;
    return LIE == DESTINATION_OUT_OF_RANGE && source == 6 ? ROUTERS : (source + 1) % ROUTERS;
}

static void shares(const vef_pattern *pattern, uint32_t source, double *share) {
    (void)pattern;
    share[(source + 1) % ROUTERS] = LIE == SHARES_OF_TWO ? 2 : 1;
}

static const vef_pattern_kind next = {.name = "liar-next",
                                      .summary = "to the next",
                                      .schema = no_keys,
                                      .create = make_pattern,
                                      .destination = destination,
                                      .shares = shares};

/* ---- shifted ---- */

static vef_code assign(const vef_mapping_stage *stage, const vef_mapping_view *view,
                       uint32_t *endpoint, vef_error *error) {
    (void)error;
    for (uint32_t task = 0; task < view->tasks; task++)
        if (LIE != UNPLACED_TASK || task != 1)
            endpoint[task] = (uint32_t)((task + stage->number) % view->endpoints);
    if (LIE == TASKS_TOGETHER)
        endpoint[1] = endpoint[0];
    if (LIE == TASK_OUT_OF_RANGE)
        endpoint[1] = view->endpoints;
    return VEF_OK;
}

static const vef_mapping_family shift = {.name = "liar-shift",
                                         .summary = "shifted",
                                         .takes = VEF_MAPPING_SEED,
                                         .parameter = "number",
                                         .assign = assign};

const vef_plugin vef_plugin_rows = {
    .interface = LIE == OTHER_INTERFACE ? 1 : VEF_PLUGIN_INTERFACE,
    .summary = "a liar",
    .topologies = (const vef_topology_family *const[]){&ring, NULL},
    .routings = (const vef_routing_algorithm *const[]){&forward, NULL},
    .patterns = (const vef_pattern_kind *const[]){&next, NULL},
    .mappings = (const vef_mapping_family *const[]){&shift, NULL},
};
