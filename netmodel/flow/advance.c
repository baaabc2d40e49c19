/* The course of time: rates are computed when all flows of a time have begun and ended, and then
 * time goes on to the next event. See flow.h. */
#include "netmodel/flow/flow.h"

#include "common/containers/grow.h"

#include <math.h>

/* When the part is out of its source, or else through, at its present rate: a whole ps, apart from
 * the rounding of the arithmetic. */
static uint64_t finish_of(const vef_flow_part *part) {
    const double phits = part->in_source ? part->left - part->held : part->left;
    const double ps = phits / part->rate;
    const double whole = ceil(ps - 1e-3 - 1e-13 * fabs(ps));
    const uint64_t time = part->since_ps + (whole > 0 ? (uint64_t)whole : 0);
    return part->in_source && time < part->least_ps ? part->least_ps : time;
}

/* Computes the rates from now on. */
static void solve(vef_flow_network *flow) {
    const uint32_t *changed;
    const size_t count = vef_shares_solve(&flow->shares, &changed);
    for (size_t i = 0; i < count; i++) {
        vef_flow_part *part = &flow->traffic.parts[changed[i]];
        part->left = (double)part->phits - vef_flow_sent(flow, changed[i]);
        part->since_ps = flow->now_ps;
        part->rate = vef_shares_rate(&flow->shares, changed[i]) / flow->cycle_ps;
        vef_finishes_set(&flow->finishes, changed[i], finish_of(part));
    }
    flow->unsolved = false;
}

/* A part is through. */
static vef_code end_part(vef_flow_network *flow, uint32_t number, vef_error *error) {
    vef_flow_part *part = &flow->traffic.parts[number];
    const uint32_t message = part->message;
    vef_flow_message *whole = &flow->traffic.messages[message];
    const int64_t tail_ps = (int64_t)((double)part->tail_cycles * flow->cycle_ps);
    const uint64_t arrival = flow->now_ps + (uint64_t)tail_ps;
    if (arrival > whole->arrival_ps) {
        whole->arrival_ps = arrival;
        whole->path_cycles = part->path_cycles;
        whole->slowest_cycles_per_phit = part->slowest_cycles_per_phit;
    }
    vef_flow_count_part(flow, number);
    vef_shares_end(&flow->shares, number);
    part->message = flow->traffic.free_part;
    flow->traffic.free_part = number;
    flow->unsolved = true;
    if (--whole->parts_under_way > 0)
        return VEF_OK;
    vef_pending_add(&flow->arriving, whole->arrival_ps, message, 0);
    return flow->parameters.sources == VEF_FLOW_BY_DESTINATION
               ? vef_flow_leave_pair(flow, message, error)
               : VEF_OK;
}

/* A part is out of its source, and perhaps through. */
static vef_code leave_source(vef_flow_network *flow, uint32_t number, vef_error *error) {
    vef_flow_part *part = &flow->traffic.parts[number];
    const uint32_t message = part->message;
    part->left = (double)part->phits - vef_flow_sent(flow, number);
    part->since_ps = flow->now_ps;
    part->in_source = false;
    const uint64_t end = finish_of(part);
    vef_code code = VEF_OK;
    if (end <= flow->now_ps)
        code = end_part(flow, number, error);
    else
        vef_finishes_set(&flow->finishes, number, end);
    if (code != VEF_OK)
        return code;
    vef_flow_message *whole = &flow->traffic.messages[message];
    if (--whole->parts_in_source > 0)
        return VEF_OK;
    return vef_flow_leave_source(flow, whole->source, error);
}

static vef_code finish(vef_flow_network *flow, uint32_t part, vef_error *error) {
    if (flow->traffic.parts[part].in_source)
        return leave_source(flow, part, error);
    return end_part(flow, part, error);
}

/* Everything of the present time but deliveries. */
static vef_code do_due(vef_flow_network *flow, vef_error *error) {
    vef_code code = VEF_OK;
    while (code == VEF_OK && vef_finishes_time(&flow->finishes) == flow->now_ps)
        code = finish(flow, vef_finishes_take(&flow->finishes), error);
    while (code == VEF_OK && flow->later.count > 0 &&
           vef_pending_time(&flow->later) == flow->now_ps)
        code = vef_flow_enqueue(flow, (uint32_t)vef_pending_take(&flow->later), error);
    return code;
}

static void hand_over(vef_flow_network *flow, size_t *count) {
    while (flow->arriving.count > 0 && vef_pending_time(&flow->arriving) == flow->now_ps) {
        const uint32_t number = (uint32_t)vef_pending_take(&flow->arriving);
        const vef_flow_message *message = &flow->traffic.messages[number];
        *VEF_NEW_ITEM(flow->handed, *count, flow->handed_room) =
            (vef_net_delivery){.id = message->id,
                               .time_cycles = flow->now_ps,
                               .endpoint = message->destination,
                               .path_cycles = message->path_cycles,
                               .cycles_per_phit = message->slowest_cycles_per_phit,
                               .source = message->source,
                               .bytes = message->bytes};
        flow->figures.delivered_phits += message->phits;
        const uint64_t latency_ps = flow->now_ps - message->time_ps;
        flow->figures.message_latency_ps += latency_ps;
        vef_latency_add(flow->figures.message_latency,
                        (uint64_t)((double)latency_ps / flow->cycle_ps + 0.5));
        vef_flow_free_message(flow, number);
    }
}

static uint64_t next_event(const vef_flow_network *flow) {
    uint64_t next = vef_finishes_time(&flow->finishes);
    if (vef_pending_time(&flow->later) < next)
        next = vef_pending_time(&flow->later);
    return vef_pending_time(&flow->arriving) < next ? vef_pending_time(&flow->arriving) : next;
}

vef_code vef_flow_advance(vef_netmodel *base, uint64_t limit_ps,
                          const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    vef_flow_network *flow = (vef_flow_network *)base;
    vef_code code = VEF_OK;
    *count = 0;
    while (code == VEF_OK && *count == 0) {
        if (flow->unsolved)
            solve(flow);
        const uint64_t next = next_event(flow);
        if (next == UINT64_MAX || next > limit_ps) {
            if (limit_ps != VEF_FOREVER && limit_ps > flow->now_ps)
                flow->now_ps = limit_ps;
            break;
        }
        flow->now_ps = next;
        code = do_due(flow, error);
        if (code == VEF_OK)
            hand_over(flow, count);
    }
    *deliveries = flow->handed;
    return code;
}
