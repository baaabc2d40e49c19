/* Two-stage round-robin and iSLIP (netmodel/MODEL.md, Grants). See arbiters.h.
 *
 * Two-stage round-robin: as the allocator of input-queued switches in Andujar-Munoz, Villar-Ortiz,
 * Sanchez, Alfaro and Escudero-Sahuquillo, "N-Dimensional Twin Torus Topology" (IEEE Transactions
 * on Computers 64(10), 2015, section 5.1): an arbiter among the virtual channels of each input
 * port, then one among the input ports for each output.
 *
 * iSLIP: McKeown, "The iSLIP Scheduling Algorithm for Input-Queued Switches" (IEEE/ACM Transactions
 * on Networking 7(2), 1999, section III): request, grant, accept, in `iterations`; pointers move
 * only past what was granted and accepted in the first. */
#include "netmodel/router/policy/arbiters.h"

/* Distance of `number` from `pointer`, upwards and cyclically among `count`. */
static uint32_t turn(uint32_t number, uint32_t pointer, uint32_t count) {
    return number >= pointer ? number - pointer : number + count - pointer;
}

static uint16_t after(uint32_t number, uint32_t count) {
    return (uint16_t)(number + 1 < count ? number + 1 : 0);
}

static uint32_t queues_of(const vef_matching *m, uint32_t port) {
    return m->first[port + 1] - (uint32_t)m->first[port];
}

/* Priority of input port `port` at an output: lower is earlier. */
static uint32_t turn_at_output(const vef_matching *m, uint32_t output, uint32_t port) {
    uint32_t when = turn(port, m->output_pointers[output], m->input_ports);
    return m->transit_first && port >= m->transit_ports ? when + m->input_ports : when;
}

/* The first queue in round-robin order of a port that requests `output` (VEF_UNMATCHED: any); there
 * is one. */
static uint16_t next_queue(const vef_matching *m, uint32_t port, uint32_t output) {
    uint32_t best_turn = UINT32_MAX;
    uint16_t best = VEF_UNMATCHED;
    for (uint32_t i = 0; i < m->asker_count; i++) {
        const uint16_t queue = m->askers[i];
        if (m->port_of[queue] != port || (output != VEF_UNMATCHED && m->asked[queue] != output))
            continue;
        const uint32_t when =
            turn(queue - (uint32_t)m->first[port], m->queue_pointers[port], queues_of(m, port));
        if (when < best_turn) {
            best_turn = when;
            best = queue;
        }
    }
    return best;
}

static void pass_queue(const vef_matching *m, uint32_t port, uint32_t queue) {
    m->queue_pointers[port] = after(queue - m->first[port], queues_of(m, port));
}

void vef_match_two_stage(const vef_matching *m) {
    uint16_t *winner = m->room; /* by output: the input port */
    for (uint32_t o = 0; o < m->outputs; o++)
        m->granted[o] = VEF_UNMATCHED;
    for (uint32_t i = 0; i < m->asker_count; i++) {
        const uint32_t port = m->port_of[m->askers[i]];
        if (i > 0 && m->port_of[m->askers[i - 1]] == port)
            continue; /* it has proposed a queue */
        const uint16_t queue = next_queue(m, port, VEF_UNMATCHED);
        const uint32_t o = m->asked[queue];
        if (m->granted[o] != VEF_UNMATCHED &&
            turn_at_output(m, o, winner[o]) < turn_at_output(m, o, port))
            continue;
        m->granted[o] = queue;
        winner[o] = (uint16_t)port;
    }
    for (uint32_t o = 0; o < m->outputs; o++)
        if (m->granted[o] != VEF_UNMATCHED) {
            pass_queue(m, winner[o], m->granted[o]);
            m->output_pointers[o] = after(winner[o], m->input_ports);
        }
}

/* Request and grant: each unmatched output grants the first port in round-robin order. */
static void grant(const vef_matching *m, const uint16_t *match, uint16_t *offered) {
    for (uint32_t o = 0; o < m->outputs; o++)
        offered[o] = VEF_UNMATCHED;
    for (uint32_t i = 0; i < m->asker_count; i++) {
        const uint32_t port = m->port_of[m->askers[i]], o = m->asked[m->askers[i]];
        if (match[port] != VEF_UNMATCHED || m->granted[o] != VEF_UNMATCHED)
            continue;
        if (offered[o] == VEF_UNMATCHED ||
            turn_at_output(m, o, port) < turn_at_output(m, o, offered[o]))
            offered[o] = (uint16_t)port;
    }
}

void vef_match_islip(const vef_matching *m) {
    uint16_t *offered = m->room;            /* by output: the port that it grants */
    uint16_t *match = m->room + m->outputs; /* by port: its output */
    for (uint32_t o = 0; o < m->outputs; o++)
        m->granted[o] = VEF_UNMATCHED;
    for (uint32_t port = 0; port < m->input_ports; port++)
        match[port] = VEF_UNMATCHED;
    bool more = true;
    for (uint32_t n = 0; n < m->iterations && more; n++) {
        grant(m, match, offered);
        /* Accept: each port accepts the first output in round-robin order. */
        uint16_t *accepted = m->room + m->outputs + m->input_ports;
        for (uint32_t port = 0; port < m->input_ports; port++)
            accepted[port] = VEF_UNMATCHED;
        for (uint32_t o = 0; o < m->outputs; o++) {
            const uint32_t port = offered[o];
            if (port != VEF_UNMATCHED &&
                (accepted[port] == VEF_UNMATCHED ||
                 turn(o, m->port_pointers[port], m->outputs) <
                     turn(accepted[port], m->port_pointers[port], m->outputs)))
                accepted[port] = (uint16_t)o;
        }
        more = false;
        for (uint32_t port = 0; port < m->input_ports; port++) {
            const uint16_t o = accepted[port];
            if (o == VEF_UNMATCHED)
                continue;
            match[port] = o;
            m->granted[o] = next_queue(m, port, o);
            pass_queue(m, port, m->granted[o]);
            if (n == 0) {
                m->output_pointers[o] = after(port, m->input_ports);
                m->port_pointers[port] = after(o, m->outputs);
            }
            more = true;
        }
    }
}
