/* The picture of how busy links are. See busy_links.h. */
#include "cli/pictures/busy_links.h"

#include "cli/pictures/links.h"
#include "common/memory.h"

#include <stdlib.h>

vef_code vef_busy_links_check(const vef_netmodel *network, const char *option, const char *path,
                              vef_error *error) {
    if (!network->topology || !network->kind->link_busy_cycles)
        return vef_fail(error, VEF_UNSUPPORTED, "%s %s: networks of model %s have no links to draw",
                        option, path, network->kind->name);
    return vef_picture_check(option, path, error);
}

vef_code vef_busy_links_interval(const vef_netmodel *network, double sample_ns, uint64_t *cycles,
                                 vef_error *error) {
    const double cycle_ns = vef_netmodel_cycle_ns(network), count = round(sample_ns / cycle_ns);
    if (!(count >= 1 && count < 0x1p62))
        return vef_fail(error, VEF_INVALID,
                        "--sample: %.6g ns: out of range: expected at least a cycle, %.6g ns",
                        sample_ns, cycle_ns);
    *cycles = (uint64_t)count;
    return VEF_OK;
}

/* Steps: a sample holds from the end of the one before to its own. */
static void add_step(vef_picture_series *series, double begin_ns, double end_ns, double share) {
    vef_panel_mark(series, begin_ns, 100 * share, NAN, NAN);
    vef_panel_mark(series, end_ns, 100 * share, NAN, NAN);
}

static void add_samples(const vef_busy_links *links, vef_panel *panel) {
    const vef_topology *topology = links->topology;
    const uint32_t classes = topology->link_classes > 1 ? topology->link_classes : 0;
    vef_picture_series **by_class = vef_calloc(classes + 1, sizeof(vef_picture_series *));
    double begin_ns = 0;
    panel->x = (vef_axis){.label = "time", .unit = "ns", .from_zero = true};
    panel->y = (vef_axis){.label = "busy links", .unit = "%", .from_zero = true};
    vef_picture_series *most = vef_panel_series(panel, "busiest link", VEF_LINE);
    vef_picture_series *mean = vef_panel_series(panel, "mean", VEF_LINE);
    for (uint32_t class = 0; class < classes; class ++) {
        char name[VEF_CLASS_NAME_BYTES], label[sizeof name + 16];
        vef_topology_link_class_name(topology, class, name, sizeof name);
        snprintf(label, sizeof label, "mean of %s", name);
        by_class[class] = vef_panel_series(panel, label, VEF_LINE | VEF_DASHED);
    }
    for (size_t i = 0; i < links->samples->count; i++) {
        const vef_link_sample sample = vef_link_samples_get(links->samples, i);
        const double end_ns = (double)sample.end_cycles * links->cycle_ns;
        add_step(most, begin_ns, end_ns, sample.most);
        add_step(mean, begin_ns, end_ns, sample.mean);
        for (uint32_t class = 0; class < classes; class ++)
            add_step(by_class[class], begin_ns, end_ns, sample.by_class[class]);
        begin_ns = end_ns;
    }
    free(by_class);
}

vef_picture *vef_busy_links_draw(const vef_busy_links *links) {
    const vef_topology *topology = links->topology;
    const size_t count = (size_t)topology->routers * topology->ports;
    const vef_axis share = {.label = "busy share of the time", .unit = "%", .from_zero = true};
    vef_picture *picture = vef_picture_new(1);
    double *percent = vef_calloc(count + 1, sizeof *percent);
    for (size_t l = 0; l < count; l++)
        percent[l] = 100 * links->utilization[l];
    vef_panel_add_links(vef_picture_add(picture, links->title), topology, percent, &share);
    if (links->samples && links->samples->count > 0)
        add_samples(links, vef_picture_add(picture, NULL));
    free(percent);
    return picture;
}
