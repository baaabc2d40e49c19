/* The times and sizes of a network in cycles and phits, as text and JSON. See vef_net_timing in
 * netmodel.h. */
#include "common/report/result.h"
#include "netmodel/netmodel.h"

#include <inttypes.h>

static void write_range(const char *before, vef_net_range range, FILE *out) {
    if (range.least == range.most)
        fprintf(out, "%s%" PRIu32, before, range.least);
    else
        fprintf(out, "%s%" PRIu32 " to %" PRIu32, before, range.least, range.most);
}

/* "65", or with headers "65 (4 KiB + 30 B)". */
static void write_packet(const vef_netmodel *model, FILE *out) {
    char text[2][VEF_QUANTITY_TEXT_BYTES];
    fprintf(out, "%" PRIu32, model->timing.packet_phits);
    if (model->header_bytes > 0)
        fprintf(out, " (%s + %s)", vef_format_bytes(text[0], model->payload_bytes),
                vef_format_bytes(text[1], model->header_bytes));
}

static bool gives(const vef_node *root, const char *section, const char *key, const char *cycles) {
    const vef_node *part = vef_node_get(root, section);
    return part && (vef_node_get(part, key) || vef_node_get(part, cycles));
}

void vef_netmodel_note_defaults(vef_netmodel *model, const vef_node *root) {
    const vef_net_timing *timing = &model->timing;
    const char **next = model->defaults;
    bool slow = false, near = false;
    for (size_t i = 0; i < timing->link_count; i++) {
        slow |= timing->links[i].least_bits_per_s == 1000000000;
        near |= timing->links[i].delay_cycles.least == 1;
    }
    if (slow && !gives(root, "link", "bandwidth", "bandwidth"))
        *next++ = "link.bandwidth 1 Gbit/s";
    if (near && !gives(root, "link", "delay", "delay_cycles"))
        *next++ = "link.delay 1 cycle";
    if (timing->packet_phits > 0 && !gives(root, "router", "delay", "delay_cycles"))
        *next++ = "router.delay 0";
}

void vef_netmodel_write_timing(const vef_netmodel *model, FILE *out) {
    const vef_net_timing *timing = &model->timing;
    char text[VEF_QUANTITY_TEXT_BYTES];
    fprintf(out, "%g ns", timing->cycle_ns);
    if (timing->packet_phits == 0)
        return;
    fprintf(out, " (phit %s); delays in cycles: router %" PRIu32,
            vef_format_bytes(text, model->phit_bytes), timing->router_delay_cycles);
    write_range(", link ", timing->link_delay_cycles, out);
    write_range(", credit ", timing->credit_delay_cycles, out);
    fprintf(out, "; in phits: packet ");
    write_packet(model, out);
    if (timing->round_trip_phits.most > 0) { /* there are links */
        write_range(", queue ", timing->queue_phits, out);
        write_range(", round trip ", timing->round_trip_phits, out);
    }
    for (int i = 0; model->defaults[i]; i++)
        fprintf(out, "%s%s", i ? ", " : "; by default: ", model->defaults[i]);
}

/* ---- documents ---- */

static void put_range(vef_result *into, const char *key, vef_net_range range) {
    vef_result *inner = vef_put_group(into, key);
    VEF_PUT(inner, "least", range.least);
    VEF_PUT(inner, "greatest", range.most);
}

static void put_links(const vef_netmodel *model, const vef_net_links *links, vef_result *into) {
    char name[VEF_CLASS_NAME_BYTES];
    vef_topology_link_class_name(model->topology, links->link_class, name, sizeof name);
    vef_result *item = vef_put_group(into, NULL);
    VEF_PUT(item, "class", name);
    VEF_PUT(item, "cable", links->cable[0] ? links->cable : NULL);
    VEF_PUT(item, "links", links->links);
    vef_result *bandwidth_bits_per_s = vef_put_group(item, "bandwidth_bits_per_s");
    VEF_PUT(bandwidth_bits_per_s, "least", links->least_bits_per_s);
    VEF_PUT(bandwidth_bits_per_s, "greatest", links->most_bits_per_s);
    vef_result *length_m = vef_put_group(item, "length_m");
    VEF_PUT(length_m, "least", links->least_m);
    VEF_PUT(length_m, "greatest", links->most_m);
    put_range(item, "delay_cycles", links->delay_cycles);
    put_range(item, "credit_delay_cycles", links->credit_delay_cycles);
    put_range(item, "cycles_per_phit", links->cycles_per_phit);
    put_range(item, "queue_phits", links->queue_phits);
    put_range(item, "round_trip_phits", links->round_trip_phits);
}

void vef_netmodel_put_timing(const vef_netmodel *model, vef_result *into) {
    const vef_net_timing *timing = &model->timing;
    vef_result *resolved = vef_put_group(into, "resolved");
    VEF_PUT(resolved, "cycle_ns", timing->cycle_ns);
    if (timing->packet_phits > 0) {
        VEF_PUT(resolved, "router_delay_cycles", timing->router_delay_cycles);
        put_range(resolved, "link_delay_cycles", timing->link_delay_cycles);
        put_range(resolved, "credit_delay_cycles", timing->credit_delay_cycles);
        VEF_PUT(resolved, "packet_phits", timing->packet_phits);
        put_range(resolved, "queue_phits", timing->queue_phits);
        put_range(resolved, "round_trip_phits", timing->round_trip_phits);
        VEF_PUT(resolved, "total_channels", timing->total_channels);
        VEF_PUT(resolved, "port_buffer_bytes", timing->port_buffer_phits * model->phit_bytes);
        VEF_PUT(resolved, "phit_bytes", model->phit_bytes);
        VEF_PUT(resolved, "payload_bytes", model->payload_bytes);
        VEF_PUT(resolved, "header_bytes", model->header_bytes);
        vef_result *defaults_list = vef_put_list(resolved, "defaults");
        for (int i = 0; model->defaults[i]; i++)
            VEF_PUT(defaults_list, NULL, model->defaults[i]);
        vef_result *links_list = vef_put_list(resolved, "links");
        for (size_t i = 0; i < timing->link_count; i++)
            put_links(model, &timing->links[i], links_list);
    }
    vef_result *warnings_list = vef_put_list(into, "warnings");
    for (size_t i = 0; i < model->warnings.count; i++)
        VEF_PUT(warnings_list, NULL, model->warnings.values[i]);
}

/* ---- comparisons ---- */

vef_net_hardware vef_netmodel_hardware(const vef_netmodel *model, const char *name) {
    return (vef_net_hardware){name, model->timing.total_channels,
                              model->timing.port_buffer_phits * model->phit_bytes};
}

bool vef_net_hardware_differs(const vef_net_hardware *list, size_t count, char *text) {
    bool channels = false, buffers = false;
    for (size_t i = 1; i < count; i++) {
        if (list[i].total_channels == 0 || list[0].total_channels == 0)
            continue;
        channels |= list[i].total_channels != list[0].total_channels;
        buffers |= fabs(list[i].port_buffer_bytes - list[0].port_buffer_bytes) >
                   1e-9 * list[0].port_buffer_bytes;
    }
    if (!channels && !buffers)
        return false;
    int used = snprintf(text, VEF_HARDWARE_BYTES, "unequal hardware of a port:");
    for (size_t i = 0; i < count && used < VEF_HARDWARE_BYTES; i++) {
        char bytes[VEF_QUANTITY_TEXT_BYTES];
        vef_format_bytes(bytes, (uint64_t)llround(list[i].port_buffer_bytes));
        used += snprintf(text + used, (size_t)(VEF_HARDWARE_BYTES - used),
                         "%s %.80s has %u virtual channel%s and %s of buffers", i ? "," : "",
                         list[i].name, list[i].total_channels,
                         list[i].total_channels == 1 ? "" : "s", bytes);
    }
    if (used < VEF_HARDWARE_BYTES)
        snprintf(text + used, (size_t)(VEF_HARDWARE_BYTES - used),
                 ": expected equal ones for a fair comparison%s",
                 buffers ? " (router.buffer.per_port_phits)" : "");
    return true;
}
