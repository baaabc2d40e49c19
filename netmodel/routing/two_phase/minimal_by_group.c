/* Minimal routing on networks of groups: within a group, over one global link, within a group.
 *
 * A single leg of ../dragonfly/legs.c or ../dragonfly/megafly_legs.c, which state the source, the
 * bound, the channels and why there is no deadlock. Shortest paths over two global links are not
 * used; routing minimal-adaptive takes these too. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/two_phase/two_phase.h"

typedef struct minimal_parameters {
    int64_t channels;
} minimal_parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, minimal_parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_TWO_PHASE_MOST_CHANNELS,
     .help = "virtual channels of each class: one class of global channels, and on dragonflies two "
             "of local ones"},
    {.key = NULL},
};

static vef_code supports(const vef_topology *topology, vef_flow_control flow_control,
                         const void *parameters, vef_error *error) {
    (void)flow_control, (void)parameters;
    const vef_leg_kind *kind = vef_two_phase_kind(topology);
    if (kind && kind->groups)
        return VEF_OK;
    return vef_fail(error, VEF_UNSUPPORTED, "topology %s has no groups", topology->family->name);
}

static vef_code create(vef_routing *routing, vef_error *error) {
    const minimal_parameters *given = routing->parameters;
    const vef_two_phase_request request = {.channels = given->channels, .one = true};
    return vef_two_phase_create(routing, &request, error);
}

const vef_routing_algorithm vef_routing_minimal_by_group = {
    .name = "minimal",
    .summary = "on networks of groups: within a group, over one global link, within a group",
    VEF_PARAMETERS(schema, minimal_parameters),
    .supports = supports,
    .create = create,
    .begin = vef_two_phase_begin_minimal,
    .candidates = vef_two_phase_candidates,
    .input = vef_two_phase_input,
    .signature = vef_two_phase_signature,
    .advance = vef_two_phase_advance,
};
