/* The network file of a case: what the core reads. See agreement.h. */
#include "tests/netmodel/agreement.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

static const char *const arbiters[] = {
    [REFERENCE_RANDOM] = "random",       [REFERENCE_ROUND_ROBIN] = "round-robin",
    [REFERENCE_OLDEST] = "oldest",       [REFERENCE_FIFO] = "fifo",
    [REFERENCE_ARRIVAL] = "arrival",     [REFERENCE_LONGEST_QUEUE] = "longest",
    [REFERENCE_TWO_STAGE] = "two-stage", [REFERENCE_ISLIP] = "islip",
};

static const char *const policies[] = {
    [REFERENCE_MOST_FREE] = "most-free",
    [REFERENCE_DIMENSION_ORDER] = "dimension-order",
    [REFERENCE_DIMENSION_ORDER_FIRST] = "dimension-order-first",
    [REFERENCE_SHORTEST_PROFITABLE] = "shortest-profitable",
    [REFERENCE_LONGEST_PATH] = "longest-path",
};

/* The bandwidth of a link that takes that many cycles for a phit, where one cycle is 12 Gbit/s. */
static uint64_t bandwidth_of(uint32_t cycles_per_phit) {
    assert_int_equal(UINT64_C(12000000000) % cycles_per_phit, 0);
    return UINT64_C(12000000000) / cycles_per_phit;
}

uint32_t unnamed_links_pace(const network_case *sample) {
    return sample->others_cycles_per_phit ? sample->others_cycles_per_phit : 1;
}

static void write_links(const network_case *sample, FILE *out) {
    const reference_config *c = &sample->config;
    fprintf(out,
            "link: {bandwidth: %llu bit/s, phit: %u B, delay_cycles: %u, credit_delay_cycles: %u",
            (unsigned long long)bandwidth_of(unnamed_links_pace(sample)), c->phit_bytes,
            c->link_delay_cycles, c->credit_delay_cycles);
    if (c->burst_phits > 0)
        fprintf(out, ", burst: %u B", c->burst_phits * c->phit_bytes);
    for (const link_rule *rule = sample->rules; rule && rule->name; rule++)
        fprintf(out, "%s'%s': {bandwidth: %llu bit/s, delay_cycles: %u, credit_delay_cycles: %u}%s",
                rule == sample->rules ? ", classes: {" : "", rule->name,
                (unsigned long long)bandwidth_of(rule->link.cycles_per_phit),
                rule->link.delay_cycles, rule->link.credit_delay_cycles, rule[1].name ? ", " : "}");
    fprintf(out, "}\n");
}

static void write_dcqcn(const reference_config *c, FILE *out) {
    fprintf(out,
            ", queue_share: %.17g, most_share: %.17g, most_marks: %.17g, gain: %.17g, least_share: "
            "%.17g, increase_share: %.17g, hyper_share: %.17g, recovery_steps: %u, "
            "increase_bytes: %u B, increase_time_cycles: %u, alpha_time_cycles: %u, "
            "notice_cycles: %u",
            c->queue_share, c->most_share, c->most_marks, c->gain, c->least_share,
            c->increase_share, c->hyper_share, c->recovery_steps, c->increase_bytes,
            c->increase_cycles, c->alpha_cycles, c->notice_cycles);
}

static void write_congestion(const reference_config *c, FILE *out) {
    char delay[16] = "auto", reorder[16] = "any";
    if (c->reorder_packets > 0)
        snprintf(reorder, sizeof reorder, "%u", c->reorder_packets);
    if (c->ack_delay_cycles > 0)
        snprintf(delay, sizeof delay, "%u", c->ack_delay_cycles);
    if (c->congestion == REFERENCE_THROTTLE)
        fprintf(out, "congestion: {policy: throttle, queue_share: %.17g}\n", c->queue_share);
    const char *const names[REFERENCE_CONTROLS] = {
        [REFERENCE_WINDOW] = "window", [REFERENCE_ECN] = "ecn", [REFERENCE_DCQCN] = "dcqcn"};
    if (!names[c->congestion])
        return;
    fprintf(out,
            "congestion: {policy: %s, window_packets: %u, ack_delay_cycles: %s, reorder_packets: "
            "%s, order: %s",
            names[c->congestion], c->window_packets, delay, reorder,
            c->takes_turns ? "turns" : "injection");
    if (c->congestion == REFERENCE_ECN)
        fprintf(out,
                ", queue_share: %.17g, least_window_packets: %.17g, decrease: %.17g, "
                "increase_packets: %.17g",
                c->queue_share, c->least_window_packets, c->decrease, c->increase_packets);
    if (c->congestion == REFERENCE_DCQCN)
        write_dcqcn(c, out);
    fprintf(out, "}\n");
}

static void write_count(char *text, size_t bytes, uint32_t count) {
    if (count > 0)
        snprintf(text, bytes, "%u", count);
    else
        snprintf(text, bytes, "auto");
}

void write_network_file(const network_case *sample, char *text, size_t bytes) {
    const reference_config *c = &sample->config;
    FILE *out = fmemopen(text, bytes, "w");
    assert_non_null(out);
    char queue[16], pause_at[16], resume[16];
    write_count(queue, sizeof queue, c->queue_packets);
    write_count(pause_at, sizeof pause_at, c->pause_at);
    write_count(resume, sizeof resume, c->pause_resume);
    if (sample->failures)
        fprintf(out, "failures: %s\n", sample->failures);
    fprintf(out,
            "topology: %s\nendpoints_per_router: %u\nrouting: %s\n"
            "router: {flow_control: %s, queue_packets: %s, injection_queues: %u, "
            "injection_queue_packets: %u, injection: %s, ejection_ports: %u, arbiter: %s, "
            "transit_first: %s, delay_cycles: %u",
            sample->topology, c->endpoints_per_router, sample->routing,
            sample->flow_control == VEF_FLOW_BUBBLE ? "bubble" : "virtual-channels", queue,
            c->injection_queues, c->injection_queue_packets, policies[c->injection],
            c->ejection_ports, arbiters[c->arbiter], c->transit_first ? "true" : "false",
            c->router_delay_cycles);
    if (c->arbiter == REFERENCE_ISLIP)
        fprintf(out, ", iterations: %u", c->iterations);
    if (c->virtual_output_queues)
        fprintf(out, ", virtual_output_queues: true");
    if (c->pauses)
        fprintf(out, ", backpressure: pause, pause: {at: %s, resume: %s}", pause_at, resume);
    if (sample->groups)
        fprintf(out, ", reduction: {slots: %u, group_slots: 65535}", sample->groups * 65535);
    if (c->unit_phits || c->per_port_phits || c->per_router_phits)
        fprintf(out, ", buffer: {unit_phits: %u, per_port_phits: %u, per_router_phits: %u}",
                c->unit_phits, c->per_port_phits, c->per_router_phits);
    fprintf(out, "}\n");
    write_links(sample, out);
    write_congestion(c, out);
    fprintf(out, "packet: {phits: %u, header: %u B", c->packet_phits, c->header_bytes);
    if (c->mtu_bytes)
        fprintf(out, ", mtu: %u B", c->mtu_bytes);
    fprintf(out, "}\nseed: %llu\n", (unsigned long long)c->seed);
    fclose(out);
}
