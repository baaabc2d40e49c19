/* The resolved configuration for reports. See resolved.h. */
#include "netmodel/file/resolved.h"

#include <math.h>

/* One more link out of `router` at a port: to a row of those of its class and cable. */
static void add_link(const vef_resolved *resolved, uint32_t router, uint32_t port, double length_m,
                     vef_net_links *row) {
    const vef_topology *topology = resolved->topology;
    const vef_link_rule *rule = vef_links_rule(resolved->links, topology, router, port);
    const bool first = row->links == 0;
    const uint64_t bandwidth = resolved->links->fastest_bits_per_s / rule->cycles_per_phit;
    const uint32_t delay =
        rule->hop_cycles - resolved->settings->router_delay.cycles - (rule->cycles_per_phit - 1u);
    row->links++;
    if (first || bandwidth < row->least_bits_per_s)
        row->least_bits_per_s = bandwidth;
    if (bandwidth > row->most_bits_per_s)
        row->most_bits_per_s = bandwidth;
    row->least_m = first ? length_m : fmin(row->least_m, length_m);
    row->most_m = fmax(row->most_m, length_m);
    vef_net_range_add(&row->delay_cycles, delay, first);
    vef_net_range_add(&row->credit_delay_cycles, rule->credit_delay_cycles, first);
    vef_net_range_add(&row->cycles_per_phit, rule->cycles_per_phit, first);
    vef_net_range_add(&row->round_trip_phits,
                      (uint32_t)vef_buffers_round_trip_phits(resolved->buffers, rule), first);
    for (uint32_t channel = 0; channel < resolved->buffers->routing->channels; channel++) {
        const uint32_t places = vef_buffers_places(resolved->buffers, router, port, channel);
        if (places > 0)
            vef_net_range_add(&row->queue_phits, places * resolved->buffers->place_phits,
                              row->queue_phits.most == 0);
    }
}

static const char *name_cable(const vef_cables *cables, uint32_t number, vef_arena *arena) {
    char text[2 * VEF_QUANTITY_TEXT_BYTES], length[VEF_QUANTITY_TEXT_BYTES];
    if (number >= cables->count)
        return "";
    const double up_to_m = cables->rows[number].up_to_m;
    if (isfinite(up_to_m))
        snprintf(text, sizeof text, "up to %s", vef_format_length_m(length, up_to_m));
    else
        snprintf(text, sizeof text, "longer");
    return vef_arena_string(arena, text);
}

/* Rows by class, and of a class by cable, the last for links without one. */
static void fill_rows(const vef_resolved *resolved, vef_net_links *rows) {
    const vef_topology *topology = resolved->topology;
    const vef_cables *cables = &resolved->settings->cables;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            const size_t link = (size_t)router * topology->ports + port;
            if (topology->neighbour[link] == VEF_NO_ROUTER)
                continue;
            const double length_m = vef_cable_lengths_of(topology, &resolved->settings->link, link);
            const vef_cable *cable = vef_cables_find(cables, length_m);
            const uint32_t class = vef_topology_link_class(topology, router, port);
            const uint32_t number = cable ? (uint32_t)(cable - cables->rows) : cables->count;
            add_link(resolved, router, port, length_m,
                     &rows[class * (cables->count + 1u) + number]);
        }
}

/* Removes rows without links, and names the others. */
static void name_rows(const vef_resolved *resolved, vef_arena *arena, vef_net_links *rows,
                      vef_net_timing *timing) {
    const vef_cables *cables = &resolved->settings->cables;
    const uint32_t each = cables->count + 1;
    for (uint32_t i = 0; i < resolved->topology->link_classes * each; i++) {
        if (rows[i].links == 0)
            continue;
        vef_net_links *kept = &rows[timing->link_count++];
        *kept = rows[i];
        kept->links /= 2; /* counted from both ends */
        kept->link_class = i / each;
        kept->cable = name_cable(cables, i % each, arena);
    }
    timing->links = rows;
}

static void add_range(vef_net_range *range, const vef_net_range *more, bool first) {
    vef_net_range_add(range, more->least, first);
    vef_net_range_add(range, more->most, false);
}

void vef_resolved_timing(const vef_resolved *resolved, vef_arena *arena, vef_net_timing *timing) {
    const vef_buffers *buffers = resolved->buffers;
    const size_t most = resolved->topology->link_classes * (resolved->settings->cables.count + 1u);
    timing->router_delay_cycles = resolved->settings->router_delay.cycles;
    timing->packet_phits = resolved->settings->packet_phits;
    timing->queue_phits = (vef_net_range){buffers->least * buffers->place_phits,
                                          buffers->most * buffers->place_phits};
    timing->round_trip_phits =
        (vef_net_range){buffers->least_round_trip_phits, buffers->most_round_trip_phits};
    timing->total_channels = buffers->routing->channels;
    vef_net_links *rows = vef_arena_alloc(arena, most, sizeof *rows);
    fill_rows(resolved, rows);
    name_rows(resolved, arena, rows, timing);
    uint64_t links = 0;
    for (size_t i = 0; i < timing->link_count; i++) {
        links += 2 * rows[i].links;
        add_range(&timing->link_delay_cycles, &rows[i].delay_cycles, i == 0);
        add_range(&timing->credit_delay_cycles, &rows[i].credit_delay_cycles, i == 0);
    }
    timing->port_buffer_phits =
        links ? (double)buffers->total * buffers->place_phits / (double)links : 0;
}
