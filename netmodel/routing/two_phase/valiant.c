/* Valiant's routing: minimally to a router drawn at random, from there minimally to the
 * destination.
 *
 * Valiant and Brebner ("Universal Schemes for Parallel Communication", 1981): whatever the pattern
 * of traffic, each phase sees uniform traffic, for ways of up to twice the diameter (twice the
 * average distance on average; less with `early_exit`, where packets that meet their destination on
 * the way to the router drawn leave there). Routes, their bound, freedom from deadlock and an
 * example: two_phase.h. */
#include "netmodel/routing/algorithms.h"
#include "netmodel/routing/two_phase/two_phase.h"

typedef struct parameters {
    int64_t channels;
    int intermediate;
    bool early_exit;
} parameters;

static const vef_param schema[] = {
    {VEF_KEY(INT, parameters, channels), .fallback = "1", .minimum = 1,
     .maximum = VEF_TWO_PHASE_MOST_CHANNELS, .help = VEF_TWO_PHASE_CHANNELS_HELP},
    VEF_TWO_PHASE_MIDDLE_ROW(parameters),
    VEF_TWO_PHASE_EARLY_ROW(parameters),
    {.key = NULL},
};

static vef_code create(vef_routing *routing, vef_error *error) {
    const parameters *given = routing->parameters;
    const vef_two_phase_request request = {
        .channels = given->channels, .middle = given->intermediate, .early = given->early_exit};
    return vef_two_phase_create(routing, &request, error);
}

const vef_routing_algorithm vef_routing_valiant = {
    .name = "valiant",
    .aliases = "vlb",
    .summary = "minimally to a router drawn at random, then minimally to the destination",
    .any_graph = true,
    VEF_PARAMETERS(schema, parameters),
    .supports = vef_two_phase_supports,
    .create = create,
    .begin = vef_two_phase_begin_over,
    .candidates = vef_two_phase_candidates,
    .leaves = vef_two_phase_leaves,
    .input = vef_two_phase_input,
    .signature = vef_two_phase_signature,
    .advance = vef_two_phase_advance,
    .fold = vef_two_phase_fold,
};
