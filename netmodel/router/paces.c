/* Packets on links of several paces. See paces.h.
 *
 * When phits cross: a phit begins to cross when the previous one has crossed and it has arrived.
 * Suppose that phit i of a packet arrives at the maximum of some lines b + i x s, one for each pace
 * s of the links behind it (at its source: none), and that its head is granted a link of pace S at
 * time t, when the head is there. Then phit i begins to cross at the maximum of t + i x S and those
 * lines with s > S: each phit waits for the previous one or for its own arrival, and a line that is
 * not steeper than S, and not above t at i = 0, is never later. So one line per pace determines all
 * times, and crossing a link changes the lines by a rule that does not depend on single phits. */
#include "netmodel/router/paces.h"

static const int64_t no_line = INT64_MIN / 2; /* that no phit number makes the greatest */

static int64_t *lines_of(const vef_network *network, uint32_t number) {
    return network->lines + (size_t)number * network->pace_count;
}

void vef_paces_begin(vef_network *network, uint32_t number) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, number)[k] = no_line;
}

void vef_paces_copy(vef_network *network, uint32_t copy, uint32_t number) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, copy)[k] = lines_of(network, number)[k];
}

uint64_t vef_paces_cross(vef_network *network, uint64_t now_cycles, uint32_t number,
                         uint32_t pace) {
    int64_t *lines = lines_of(network, number);
    for (uint32_t k = 0; k < network->pace_count; k++)
        if (network->paces[k] <= network->paces[pace])
            lines[k] = no_line;
    lines[pace] = (int64_t)now_cycles;
    return vef_paces_crossed(network, number, pace, vef_packet_at(network, number)->phits - 1u);
}

void vef_paces_forward(vef_network *network, uint32_t number, uint32_t hop_cycles) {
    for (uint32_t k = 0; k < network->pace_count; k++)
        lines_of(network, number)[k] += hop_cycles;
}

uint64_t vef_paces_crossed(const vef_network *network, uint32_t number, uint32_t pace,
                           uint32_t phit) {
    const int64_t *lines = lines_of(network, number);
    int64_t begins = 0;
    for (uint32_t k = 0; k < network->pace_count; k++) {
        const int64_t line = lines[k] + (int64_t)phit * network->paces[k];
        if (line > begins)
            begins = line;
    }
    return (uint64_t)begins + network->paces[pace];
}
