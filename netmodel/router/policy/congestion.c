/* The policies of congestion control. They hold packets back at their sources, and change neither
 * routes nor queues (netmodel/MODEL.md). Names and keys: netmodel/file/policies.def and policies.c.
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
 * even with one packet of each.
 *
 * dcqcn: Zhu et al., "Congestion Control for Large-Scale RDMA Deployments", SIGCOMM 2015, sections
 * 3 and 5: rates of pairs, reduced by an estimate of congestion, and raised in steps by a timer and
 * a counter of bytes: fast recovery, additive, hyper increase. A pair is a flow. Here a rate
 * changes from the next packet on, marks depend on a queue of the input of the next router, and the
 * notices of a destination travel as acks do. */
#include "netmodel/router/policy/install.h"

#include <math.h>

static bool admits(const vef_congestion_parameters *given, uint64_t taken, uint64_t places) {
    return (double)taken <= given->queue_share * (double)places;
}

static double marks(const vef_congestion_parameters *given, uint32_t taken, uint32_t places) {
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

/* ---- rates ---- */

static double marks_early(const vef_congestion_parameters *given, uint32_t taken, uint32_t places) {
    const double share = (double)taken / (double)places;
    if (share <= given->queue_share)
        return 0;
    return share > given->most_share ? 1
                                     : given->most_marks * (share - given->queue_share) /
                                           (given->most_share - given->queue_share);
}

/* A step of the timer or of the counter of bytes. */
static void raise_rate(const vef_congestion_parameters *given, vef_rate *rate) {
    const uint64_t steps = given->recovery_steps, more = rate->timer_steps,
                   bytes = rate->byte_steps;
    if (more > steps && bytes > steps)
        rate->target += given->hyper_share;
    else if (more >= steps || bytes >= steps)
        rate->target += given->increase_share;
    rate->target = fmin(rate->target, 1);
    rate->current = (rate->target + rate->current) / 2;
}

/* Rates within this of the highest are the highest: halving would take for ever. */
static const double FULL_RATE = 1 - 1e-3;

static uint64_t at_least_one(uint32_t cycles) {
    return cycles ? cycles : 1;
}

/* The steps of the timer until now. */
static void pass_time(const vef_congestion_parameters *given, vef_rate *rate, uint64_t now) {
    const uint64_t step = at_least_one(given->increase_time.cycles);
    while (rate->reduced && rate->current < FULL_RATE &&
           now - rate->reduced_cycles >= (rate->timer_steps + 1) * step) {
        rate->timer_steps++;
        raise_rate(given, rate);
    }
    if (rate->current >= FULL_RATE)
        rate->current = rate->target = 1;
}

static uint64_t enters(const vef_congestion_parameters *given, vef_rate *rate, uint64_t now,
                       uint32_t phits, uint64_t phit_bytes) {
    pass_time(given, rate, now);
    if (rate->current >= 1)
        return 0;
    rate->bytes += phits * phit_bytes;
    while (rate->bytes >= (rate->byte_steps + 1) * given->increase_bytes) {
        rate->byte_steps++;
        raise_rate(given, rate);
    }
    return (uint64_t)ceil((double)phits / rate->current);
}

static void reduces(const vef_congestion_parameters *given, vef_rate *rate, uint64_t now) {
    if (rate->reduced && now - rate->reduced_cycles < given->notice.cycles)
        return;
    pass_time(given, rate, now);
    const uint64_t period = at_least_one(given->alpha_time.cycles);
    if (rate->reduced)
        rate->congestion *= pow(1 - given->gain, (double)((now - rate->reduced_cycles) / period));
    rate->target = rate->current;
    rate->current = fmax(rate->current * (1 - rate->congestion / 2), given->least_share);
    rate->congestion = (1 - given->gain) * rate->congestion + given->gain;
    rate->reduced = true;
    rate->reduced_cycles = now;
    rate->bytes = rate->timer_steps = rate->byte_steps = 0;
}

static const vef_congestion_policy throttle = {.admits = admits};
static const vef_congestion_policy window = {.by_pair = true};
static const vef_congestion_policy ecn = {
    .by_pair = true, .marks = marks, .increase = increase, .decrease = decrease};
static const vef_congestion_policy dcqcn = {
    .by_pair = true, .marks = marks_early, .enters = enters, .reduces = reduces};

static const vef_congestion_policy *const policies[] = {
#define CONGESTION(id, name, aliases, summary) &id,
#include "netmodel/file/policies.def"
};

/* NULL: the file names none. */
static const vef_congestion_policy *policy_of(const vef_congestion *congestion) {
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
        now + 1, policy_of(congestion)->admits(&congestion->parameters, taken, places)};
    return admission->admits;
}

vef_code vef_congestion_install(vef_network *network, vef_error *error) {
    const vef_network_settings *settings = &network->settings;
    const vef_congestion_policy *policy = policy_of(&settings->congestion);
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
        vef_windows_install(network, policy);
    if (policy->admits) {
        network->policies.admissions = vef_arena_alloc(&network->arena, network->topology->routers,
                                                       sizeof *network->policies.admissions);
        network->policies.admit = admit;
    }
    if (policy->admits || (policy->marks && settings->backpressure != VEF_PAUSE))
        vef_network_keep_places(network);
    return VEF_OK;
}
