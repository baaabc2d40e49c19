/* A plug-in that says one thing that is not so: LIE selects it (test_plugin.sh compiles it once for
 * each). Without a lie it is a ring of 8 routers with two virtual channels and a dateline. */
#include <string.h>
#include <vef/plugin.h>

enum lie {
    NONE,
    LINK_NOT_BACK,
    ROUTER_OUT_OF_RANGE,
    LINK_TO_ITSELF,
    CHANNEL_OUT_OF_RANGE,
    PORT_OUT_OF_RANGE,
    NO_ESCAPE,
    NO_CANDIDATES,
    NEVER_ARRIVES,
    TOO_MANY_CHANNELS,
    DEADLOCK,
    DESTINATION_OUT_OF_RANGE,
    SHARES_OF_TWO,
    TASKS_TOGETHER,
    TASK_OUT_OF_RANGE,
    UNPLACED_TASK,
    NO_REASON,
    OTHER_INTERFACE,
    NO_NAME,
    NO_FUNCTION,
    NOTHING,
};

enum { ROUTERS = 8, FORWARD = 0, BACK = 1 };

static int make(vef_plugin_context *context, const vef_plugin_value *values,
                vef_plugin_shape *shape, void **self) {
    (void)context;
    (void)values;
    (void)self;
    shape->routers = ROUTERS;
    shape->ports = 2;
    return LIE == NO_REASON;
}

static uint32_t neighbour(const void *self, uint32_t router, uint32_t port, uint32_t *other_port) {
    (void)self;
    *other_port = LIE == LINK_NOT_BACK && router == 3 ? port : 1 - port;
    if (LIE == ROUTER_OUT_OF_RANGE && router == 0)
        return ROUTERS;
    if (LIE == LINK_TO_ITSELF && router == 0)
        return 0;
    return (router + (port == FORWARD ? 1 : ROUTERS - 1)) % ROUTERS;
}

static const vef_plugin_topology ring = {.name = LIE == NO_NAME ? NULL : "liar-ring",
                                         .summary = "a ring",
                                         .create = make,
                                         .neighbour = LIE == NO_FUNCTION ? NULL : neighbour};

static int make_routing(vef_plugin_context *context, const vef_plugin_graph *graph,
                        const vef_plugin_value *values, vef_plugin_channels *channels,
                        void **self) {
    (void)context;
    (void)graph;
    (void)values;
    (void)self;
    channels->channels = LIE == TOO_MANY_CHANNELS ? 65 : 2;
    channels->most_candidates = 1;
    channels->route_words = 1;
    return 0;
}

static void begin(const void *self, const vef_plugin_travel *travel, vef_plugin_draws *draws,
                  int16_t *route) {
    (void)self;
    (void)travel;
    (void)draws;
    route[0] = 0; /* 1 beyond the dateline, between routers 7 and 0 */
}

static uint32_t candidates(const void *self, const int16_t *route, vef_plugin_place place,
                           vef_plugin_candidate *offered) {
    (void)self;
    const int crosses = place.router == ROUTERS - 1;
    uint8_t channel = (uint8_t)(route[0] || crosses);
    if (LIE == DEADLOCK)
        channel = 0;
    if (LIE == CHANNEL_OUT_OF_RANGE && place.router == 5)
        channel = 2;
    offered[0] =
        (vef_plugin_candidate){.port = LIE == PORT_OUT_OF_RANGE && place.router == 5 ? 9 : FORWARD,
                               .channel = channel,
                               .escape = LIE != NO_ESCAPE};
    if (LIE == NEVER_ARRIVES) /* to and fro */
        offered[0].port = place.router % 2 ? BACK : FORWARD;
    return LIE != NO_CANDIDATES;
}

static void advance(const void *self, int16_t *route, vef_plugin_place place, uint16_t port,
                    uint8_t channel) {
    (void)self;
    (void)port;
    (void)channel;
    if (place.router == ROUTERS - 1)
        route[0] = 1;
}

static const vef_plugin_routing forward = {.name = "liar-forward",
                                           .summary = "forward, with a dateline",
                                           .create = make_routing,
                                           .begin = begin,
                                           .candidates = candidates,
                                           .advance = advance};

static int make_pattern(vef_plugin_context *context, const vef_plugin_graph *graph,
                        const vef_plugin_value *values, void **self) {
    (void)context;
    (void)graph;
    (void)values;
    (void)self;
    return 0;
}

static uint32_t destination(const void *self, uint32_t source, vef_plugin_draws *draws) {
    (void)self;
    (void)draws;
    return LIE == DESTINATION_OUT_OF_RANGE && source == 6 ? ROUTERS : (source + 1) % ROUTERS;
}

static void shares(const void *self, uint32_t source, double *share) {
    (void)self;
    share[(source + 1) % ROUTERS] = LIE == SHARES_OF_TWO ? 2 : 1;
}

static const vef_plugin_pattern next = {.name = "liar-next",
                                        .summary = "to the next",
                                        .create = make_pattern,
                                        .destination = destination,
                                        .shares = shares};

static int assign(vef_plugin_context *context, const vef_plugin_graph *graph, uint64_t number,
                  uint32_t tasks, const vef_plugin_traffic *traffic, size_t traffic_count,
                  uint32_t *endpoint) {
    (void)context;
    (void)traffic;
    (void)traffic_count;
    for (uint32_t task = 0; task < tasks; task++)
        endpoint[task] = (uint32_t)((task + number) % graph->endpoints);
    if (LIE == TASKS_TOGETHER)
        endpoint[1] = endpoint[0];
    if (LIE == TASK_OUT_OF_RANGE)
        endpoint[1] = graph->endpoints;
    if (LIE == UNPLACED_TASK)
        endpoint[1] = VEF_PLUGIN_NONE;
    return 0;
}

static const vef_plugin_mapping shift = {
    .name = "liar-shift", .summary = "shifted", .assign = assign};

const vef_plugin *vef_plugin_entry(void) {
    static const vef_plugin_topology *const topologies[] = {&ring, NULL};
    static const vef_plugin_routing *const routings[] = {&forward, NULL};
    static const vef_plugin_pattern *const patterns[] = {&next, NULL};
    static const vef_plugin_mapping *const mappings[] = {&shift, NULL};
    static const vef_plugin plugin = {LIE == OTHER_INTERFACE ? 99 : VEF_PLUGIN_INTERFACE,
                                      "a liar",
                                      topologies,
                                      routings,
                                      patterns,
                                      mappings};
    return LIE == NOTHING ? NULL : &plugin;
}
