/* Dimension-order routing: a minimal record taken generator by generator, in ascending order.
 *
 * Dally and Seitz ("Deadlock-Free Message Routing in Multiprocessor Interconnection Networks",
 * 1987) for the order; Puente et al. ("The Adaptive Bubble Router", 2001) for the rings. Paths are
 * minimal.
 *
 * Freedom from deadlock: the channels of a generator's direction form unidirectional rings where
 * they wrap, and a packet leaves a ring only for one of a later generator or for its endpoint, so
 * waiting between rings is acyclic. Within a ring of one virtual channel, bubble flow control keeps
 * a place free: entering it (from injection, another ring or another channel) needs two. This holds
 * for any generators, diagonal ones too. A direction that does not wrap is a line and needs
 * nothing. With several channels a packet may take any of them at every hop; changing channel
 * enters a ring. It suffices that it can go on in its channel, and enter channel 0 of the next
 * ring. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/record.h"

typedef struct parameters {
    int64_t channels;
} parameters;

static const vef_param schema[] = {
    {.key = "channels",
     .kind = VEF_PARAM_INT,
     .offset = offsetof(parameters, channels),
     .fallback = "1",
     .minimum = 1,
     .maximum = VEF_MAX_CHANNELS,
     .help = "virtual channels per link"},
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *given, vef_error *error) {
    (void)given;
    return vef_record_supports(topology, flow_control, error);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    (void)error;
    routing->channels = (uint32_t)((const parameters *)routing->parameters)->channels;
    routing->most_candidates = routing->channels;
    vef_record_set_signatures(routing);
    routing->uniform = true;
    routing->least_queue_packets = vef_record_least_queue_packets(routing);
    return VEF_OK;
}

static uint32_t candidates(const vef_routing *routing, const vef_route *route, vef_place place,
                           vef_candidate *offered) {
    uint16_t port = vef_record_next(routing->topology->lattice, route);
    if (port == VEF_NO_DIRECTION)
        return 0;
    bool goes_on = place.in_port == (port ^ 1);
    uint8_t escape = goes_on ? place.in_channel : 0;
    for (uint32_t c = 0; c < routing->channels; c++) {
        uint8_t channel = (uint8_t)c;
        offered[c] = (vef_candidate){
            .port = port,
            .channel = channel,
            .slots_needed = vef_record_places(routing, place, port, channel),
            .escape = channel == escape,
        };
    }
    return routing->channels;
}

const vef_routing_algorithm vef_routing_dor = {
    .name = "dor",
    .summary = "dimension order, deterministic but for ties of distance",
    .schema = schema,
    .parameter_bytes = sizeof(parameters),
    .supports = supports,
    .create = create,
    .begin = vef_record_begin,
    .candidates = candidates,
    .signature = vef_record_signature,
    .advance = vef_record_advance,
};
