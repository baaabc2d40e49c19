/* The policies of congestion control. See congestion.h.
 *
 * throttle: after Baydal, Lopez and Duato ("A family of mechanisms for congestion control in
 * wormhole networks", IEEE TPDS 16(9), 2005), whose routers restrict injection by the free virtual
 * channels of their outputs. Here the places at the other ends of all links of the router count,
 * since switching is virtual cut-through and an adaptive packet may leave by any of them; a router
 * knows them as its credits.
 *
 * window: the end-to-end window of textbooks (Bertsekas and Gallager, Data Networks, section 6.2).
 *
 * ecn: the shape is that of DCTCP (Alizadeh et al., SIGCOMM 2010: mark by the length of the queue
 * on entry, react once for a window of packets) with the fixed factor of TCP instead of DCTCP's
 * estimate of the share of marks, and of the congestion control of InfiniBand (Gran et al., IPDPS
 * 2010: marks by switches, sent back by the destination, delays between packets) with growth by
 * acknowledgements instead of a timer. Windows below one packet are times between packets, as in
 * Swift (Kumar et al., SIGCOMM 2020, section 3.5), since an incast of many sources fills queues
 * even with one packet of each. */
#include "netmodel/router/policy/congestion.h"
#include "netmodel/router/policy/install.h"

#include <math.h>

static bool admits(const vef_congestion_parameters *given, uint64_t taken, uint64_t places) {
    return (double)taken <= given->queue_share * (double)places;
}

static bool marks(const vef_congestion_parameters *given, uint32_t taken, uint32_t places) {
    return (double)taken > given->queue_share * (double)places;
}

/* A round trip has `window` packets, but at least one. */
static double increase(const vef_congestion_parameters *given, double window) {
    const double grown = window + given->increase_packets / fmax(window, 1);
    return fmin(grown, given->window_packets);
}

static double decrease(const vef_congestion_parameters *given, double window) {
    return fmin(fmax(window * given->decrease, given->least_window_packets), window);
}

static const vef_congestion_policy throttle = {.admits = admits};
static const vef_congestion_policy window = {.by_pair = true};
static const vef_congestion_policy ecn = {
    .by_pair = true, .marks = marks, .increase = increase, .decrease = decrease};

static const vef_congestion_policy *const policies[] = {
#define CONGESTION(id, name, aliases, summary) &id,
#include "netmodel/file/policies.def"
};

const vef_congestion_policy *vef_congestion_policy_of(const vef_congestion *congestion) {
    return congestion->policy ? policies[congestion->policy->number] : NULL;
}

/* Whether a router's endpoints may inject, for all of a cycle. */
struct vef_admission {
    uint64_t until_cycles; /* the cycle after that of the answer; 0: none so far */
    bool admits;
};

/* vef_policies.admit. Injection changes none
 * of what it depends on, so one answer is for all of them. */
static bool admit(const vef_network *network, uint64_t now, uint32_t router) {
    struct vef_admission *admission = &network->policies.admissions[router];
    if (admission->until_cycles == now + 1)
        return admission->admits;
    const vef_congestion *congestion = &network->settings.congestion;
    uint64_t taken = 0, places = 0;
    for (uint32_t link = 0; link < network->shape.links; link++) {
        taken += vef_places_taken(network, router, link);
        places += vef_places_at_end(network, router, link);
    }
    *admission = (struct vef_admission){
        now + 1,
        vef_congestion_policy_of(congestion)->admits(&congestion->parameters, taken, places)};
    return admission->admits;
}

vef_code vef_congestion_install(vef_network *network, vef_error *error) {
    const vef_network_settings *settings = &network->settings;
    const vef_congestion_policy *policy = vef_congestion_policy_of(&settings->congestion);
    if (!policy)
        return VEF_OK;
    /* With a policy of injection a packet has a route before it enters, and those behind it wait;
     * with windows another one may overtake it. */
    if (policy->by_pair && network->policies.join)
        return vef_fail(
            error, VEF_UNSUPPORTED,
            "router.injection: %s not supported with congestion policy %s, where packets "
            "of a source overtake each other before they have a route: expected %s",
            settings->injection->name, settings->congestion.policy->name, vef_injections[0]->name);
    if (policy->by_pair)
        vef_windows_install(network);
    if (policy->admits) {
        network->policies.admissions = vef_arena_alloc(&network->arena, network->topology->routers,
                                                       sizeof *network->policies.admissions);
        network->policies.admit = admit;
    }
    if (policy->admits || policy->marks)
        vef_network_keep_places(network);
    return VEF_OK;
}
