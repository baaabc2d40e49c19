/* The resolved configuration of a network. See resolved.h. */
#include "cli/topology/resolved.h"

#include "common/config/write_doc.h"
#include "netmodel/topology/failures/failures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void put_range(vef_table *table, vef_net_range range) {
    if (range.least == range.most)
        vef_table_number(table, "%" PRIu32, range.least);
    else
        vef_table_number(table, "%" PRIu32 " to %" PRIu32, range.least, range.most);
}

static void put_texts(vef_table *table, const char *least, const char *most) {
    if (strcmp(least, most) == 0)
        vef_table_number(table, "%s", least);
    else
        vef_table_number(table, "%s to %s", least, most);
}

/* To millimetres: lengths of layouts are roots. */
static const char *length_text(char *text, double length_m) {
    return vef_format_length_m(text, round(length_m * 1000) / 1000);
}

static vef_table *tabulate(const void *report) {
    static const char *const heads[] = {"class",
                                        "cable",
                                        "links",
                                        "bandwidth",
                                        "length",
                                        "delay_cycles",
                                        "credit_delay_cycles",
                                        "cycles_per_phit",
                                        "queue_phits",
                                        "round_trip_phits"};
    const vef_netmodel *model = report;
    vef_table *table = vef_table_new(heads, sizeof heads / sizeof *heads);
    for (size_t i = 0; i < model->timing.link_count; i++) {
        const vef_net_links *links = &model->timing.links[i];
        char name[VEF_CLASS_NAME_BYTES], text[2][VEF_QUANTITY_TEXT_BYTES];
        vef_topology_link_class_name(model->topology, links->link_class, name, sizeof name);
        vef_table_text(table, name);
        vef_table_text(table, links->cable);
        vef_table_number(table, "%" PRIu64, links->links);
        put_texts(table, vef_format_bandwidth(text[0], links->least_bits_per_s),
                  vef_format_bandwidth(text[1], links->most_bits_per_s));
        if (links->most_m > 0)
            put_texts(table, length_text(text[0], links->least_m),
                      length_text(text[1], links->most_m));
        else
            vef_table_text(table, "");
        put_range(table, links->delay_cycles);
        put_range(table, links->credit_delay_cycles);
        put_range(table, links->cycles_per_phit);
        put_range(table, links->queue_phits);
        put_range(table, links->round_trip_phits);
    }
    return table;
}

static void write_text(const void *report, FILE *out) {
    const vef_netmodel *model = report;
    const vef_net_timing *timing = &model->timing;
    char text[2][VEF_QUANTITY_TEXT_BYTES];
    char failures[VEF_FAILURES_TEXT_BYTES];
    if (model->topology->failures)
        fprintf(out, "down          %s\n", vef_failures_text(model->topology, failures));
    fprintf(out, "cycle         %g ns, %g MHz\n", timing->cycle_ns, 1e3 / timing->cycle_ns);
    fprintf(out, "phit          %s\n", vef_format_bytes(text[0], model->phit_bytes));
    fprintf(out, "packet        %" PRIu32 " phits: payload %s, header %s\n", timing->packet_phits,
            vef_format_bytes(text[0], model->payload_bytes),
            vef_format_bytes(text[1], model->header_bytes));
    fprintf(out, "router delay  %" PRIu32 " cycles, %g ns\n\n", timing->router_delay_cycles,
            timing->router_delay_cycles * timing->cycle_ns);
    vef_table_write(tabulate(report), NULL, out);
    for (size_t i = 0; i < model->warnings.count; i++)
        fprintf(out, "%swarning: %s\n", i ? "" : "\n", model->warnings.values[i]);
}

static void write_configuration(const void *report, FILE *out) {
    vef_netmodel_write_config(report, out);
}

static vef_code write_doc(const void *report, vef_doc *doc, vef_error *error) {
    const vef_netmodel *model = report;
    vef_failures_write_doc(model->topology, true, doc);
    vef_netmodel_write_timing_doc(model, doc);
    return vef_yaml_write_doc(doc, "configuration", write_configuration, report, error);
}

const vef_report_parts vef_topology_resolved_parts = {
    .text = write_text, .table = tabulate, .doc = write_doc};

vef_code vef_topology_show_resolved(const vef_node *root, const vef_report_format *format,
                                    vef_error *error) {
    vef_netmodel *model = NULL;
    vef_code code = vef_netmodel_create(root, &model, error);
    if (code == VEF_OK)
        code = vef_report_write(format, &vef_topology_resolved_parts, model, stdout, error);
    vef_netmodel_destroy(model);
    return code;
}
