/* The times and sizes of a network in cycles and phits, as text and JSON. See vef_net_timing in
 * netmodel.h. */
#include "netmodel/netmodel.h"

#include <inttypes.h>

static void write_range(const char *before, vef_net_range range, FILE *out) {
    if (range.least == range.most)
        fprintf(out, "%s%" PRIu32, before, range.least);
    else
        fprintf(out, "%s%" PRIu32 " to %" PRIu32, before, range.least, range.most);
}

void vef_netmodel_write_timing(const vef_netmodel *model, FILE *out) {
    const vef_net_timing *timing = &model->timing;
    fprintf(out, "%g ns", timing->cycle_ns);
    if (timing->packet_phits == 0)
        return;
    fprintf(out, "; delays in cycles: router %" PRIu32, timing->router_delay_cycles);
    write_range(", link ", timing->link_delay_cycles, out);
    write_range(", credit ", timing->credit_delay_cycles, out);
    fprintf(out, "; in phits: packet %" PRIu32, timing->packet_phits);
    if (timing->round_trip_phits.most == 0) /* no links */
        return;
    write_range(", queue ", timing->queue_phits, out);
    write_range(", round trip ", timing->round_trip_phits, out);
}

static void write_range_doc(vef_doc *doc, const char *key, vef_net_range range) {
    vef_doc_open_map(doc, key);
    vef_doc_uint(doc, "least", range.least);
    vef_doc_uint(doc, "greatest", range.most);
    vef_doc_close(doc);
}

void vef_netmodel_write_timing_doc(const vef_netmodel *model, vef_doc *doc) {
    const vef_net_timing *timing = &model->timing;
    vef_doc_open_map(doc, "resolved");
    vef_doc_real(doc, "cycle_ns", timing->cycle_ns);
    if (timing->packet_phits > 0) {
        vef_doc_uint(doc, "router_delay_cycles", timing->router_delay_cycles);
        write_range_doc(doc, "link_delay_cycles", timing->link_delay_cycles);
        write_range_doc(doc, "credit_delay_cycles", timing->credit_delay_cycles);
        vef_doc_uint(doc, "packet_phits", timing->packet_phits);
        write_range_doc(doc, "queue_phits", timing->queue_phits);
        write_range_doc(doc, "round_trip_phits", timing->round_trip_phits);
    }
    vef_doc_close(doc);
    vef_doc_open_list(doc, "warnings");
    for (size_t i = 0; i < model->warnings.count; i++)
        vef_doc_string(doc, NULL, model->warnings.values[i]);
    vef_doc_close(doc);
}
