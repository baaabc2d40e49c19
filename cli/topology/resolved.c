/* The resolved configuration of a network. See topology.h. */
#include "cli/topology/topology.h"

#include "common/config/node_result.h"
#include "netmodel/topology/failures/failures.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void add_range(vef_result *table, vef_net_range range) {
    if (range.least == range.most)
        VEF_CELLS(table, range.least);
    else
        vef_cell_printed(table, "%" PRIu32 " to %" PRIu32, range.least, range.most);
}

static void add_texts(vef_result *table, const char *least, const char *most) {
    if (strcmp(least, most) == 0)
        vef_cell_printed(table, "%s", least);
    else
        vef_cell_printed(table, "%s to %s", least, most);
}

/* To millimetres: lengths of layouts are roots. */
static const char *length_text(char *text, double length_m) {
    return vef_format_length_m(text, round(length_m * 1000) / 1000);
}

static void put_links(const vef_netmodel *model, vef_result *into) {
    static const vef_column columns[] = VEF_COLUMNS(
        VEF_COLUMN("class", NULL), VEF_COLUMN("cable", NULL), VEF_COLUMN("links", NULL),
        VEF_COLUMN("bandwidth", NULL), VEF_COLUMN("length", NULL), VEF_COLUMN("delay_cycles", NULL),
        VEF_COLUMN("credit_delay_cycles", NULL), VEF_COLUMN("cycles_per_phit", NULL),
        VEF_COLUMN("queue_phits", NULL), VEF_COLUMN("round_trip_phits", NULL));
    vef_result *table = vef_put_table(into, NULL, VEF_PEOPLE | VEF_TABLES, columns);
    for (size_t i = 0; i < model->timing.link_count; i++) {
        const vef_net_links *links = &model->timing.links[i];
        char name[VEF_CLASS_NAME_BYTES], text[2][VEF_QUANTITY_TEXT_BYTES];
        vef_topology_link_class_name(model->topology, links->link_class, name, sizeof name);
        VEF_CELLS(table, name, (const char *)links->cable, links->links);
        add_texts(table, vef_format_bandwidth(text[0], links->least_bits_per_s),
                  vef_format_bandwidth(text[1], links->most_bits_per_s));
        if (links->most_m > 0)
            add_texts(table, length_text(text[0], links->least_m),
                      length_text(text[1], links->most_m));
        else
            VEF_CELLS(table, "");
        add_range(table, links->delay_cycles);
        add_range(table, links->credit_delay_cycles);
        add_range(table, links->cycles_per_phit);
        add_range(table, links->queue_phits);
        add_range(table, links->round_trip_phits);
    }
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
}

static void put_configuration(const void *report, vef_node *config) {
    vef_netmodel_put_config(report, config);
}

static void build(const void *report, vef_result *root) {
    const vef_netmodel *model = report;
    vef_say_by(root, write_text, model);
    put_links(model, root);
    for (size_t i = 0; i < model->warnings.count; i++)
        vef_say(root, "%swarning: %s\n", i ? "" : "\n", model->warnings.values[i]);
    vef_failures_put_result(model->topology, true, root);
    vef_netmodel_put_timing(model, root);
    vef_config_put_result(root, "configuration", put_configuration, model);
}

vef_code vef_topology_show_resolved(const vef_node *root, const vef_report_format *format,
                                    vef_error *error) {
    vef_netmodel *model = NULL;
    vef_code code = vef_netmodel_create(root, &model, error);
    if (code == VEF_OK)
        code = vef_report_write(format, build, model, stdout, error);
    vef_netmodel_destroy(model);
    return code;
}
