/* The heat map of links in a report. See heat_map.h. The network of the picture is built from the
 * key `configuration` of the document. */
#include "cli/report/heat_map.h"

#include "cli/pictures/network.h"
#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

/* A number of a mapping; NAN if it has none of that name. */
static double number_of(const vef_node *mapping, const char *key) {
    const vef_node *node = vef_node_get(mapping, key);
    double value = 0;
    const bool given = node && node->kind == VEF_NODE_SCALAR &&
                       vef_parse_real(node->scalar, key, &value, NULL) == VEF_OK;
    return given ? value : (double)NAN;
}

const char *const vef_heat_map_members[] = {"configuration", "per_link",     "points",
                                            "samples",       "sample_links", NULL};

/* The links of the document. NULL: none. */
static const vef_node *find_links(const vef_node *root) {
    const vef_node *links = vef_node_get(root, "per_link"), *points = vef_node_get(root, "points");
    double greatest = 0;
    for (size_t i = 0; !links && points && i < points->count; i++)
        greatest = fmax(greatest, number_of(points->items[i], "rate"));
    for (size_t i = 0; !links && points && i < points->count; i++)
        if (number_of(points->items[i], "rate") >= greatest)
            links = vef_node_get(points->items[i], "per_link");
    return links && links->kind == VEF_NODE_SEQUENCE ? links : NULL;
}

static vef_code read_links(const vef_node *links, const vef_topology *topology, double *utilization,
                           vef_error *error) {
    for (size_t i = 0; i < links->count; i++) {
        const double number = number_of(links->items[i], "router");
        const double port = number_of(links->items[i], "port");
        const double share = number_of(links->items[i], "utilization");
        const uint32_t router = number >= 0 && number < UINT32_MAX
                                    ? vef_topology_router_numbered(topology, (uint32_t)number)
                                    : VEF_NO_ROUTER;
        if (router == VEF_NO_ROUTER || !(port >= 0 && port < topology->ports) || !(share >= 0))
            return vef_node_fail(links->items[i], error,
                                 "per_link: not a link of the network in `configuration`");
        utilization[(size_t)router * topology->ports + (size_t)port] = share;
    }
    return VEF_OK;
}

/* The colours of the picture over time: those of each sample. */
static vef_code draw_samples(const vef_node *root, const vef_topology *topology,
                             const vef_picture *frame, char **json, vef_error *error) {
    const vef_node *links = vef_node_get(root, "sample_links");
    const vef_node *samples = vef_node_get(root, "samples");
    const size_t count = (size_t)topology->routers * topology->ports;
    vef_packed packed = {0}, values = {0};
    size_t next = 0, size = 0;
    if (!links || links->kind != VEF_NODE_SCALAR || !samples || samples->kind != VEF_NODE_SEQUENCE)
        return VEF_OK;
    bool complete = vef_unpack(links->scalar, &packed);
    double *utilization = vef_calloc(count + 1, sizeof *utilization);
    for (size_t i = 0; i < samples->count && complete; i++) {
        for (size_t l = 0; l < count && complete; l++) {
            uint64_t thousandths = 0;
            if (topology->neighbour[l] != VEF_NO_ROUTER)
                complete = vef_unpack_next(&packed, &next, &thousandths);
            utilization[l] = (double)thousandths / 1000;
        }
        vef_picture *picture = vef_busy_links_draw(topology, utilization, NULL);
        vef_picture_pack_values(picture, &values);
        vef_picture_free(picture);
    }
    vef_result *map = vef_result_new(VEF_DOCUMENTS);
    FILE *out = vef_memory_stream(json, &size);
    vef_picture_put_shapes(frame, map);
    vef_pack_put(&values, map, "values");
    vef_write_json(map, out);
    fclose(out);
    vef_result_free(map);
    free(utilization);
    complete = complete && next == packed.count;
    free(packed.bytes);
    return complete
               ? VEF_OK
               : vef_node_fail(links, error, "sample_links: not those of the links in `per_link`");
}

static vef_code draw(const vef_node *root, const vef_node *per_link, vef_heat_map *map,
                     vef_error *error) {
    const vef_node *configuration = vef_node_get(root, "configuration");
    if (!configuration || configuration->kind != VEF_NODE_MAPPING)
        return vef_node_fail(root, error, "missing `configuration`, a map");
    uint64_t bandwidth_bits_per_s;
    vef_topology *topology = NULL;
    vef_code code =
        vef_netmodel_create_topology(configuration, &topology, &bandwidth_bits_per_s, error);
    if (code != VEF_OK)
        return code;
    const size_t count = (size_t)topology->routers * topology->ports;
    double *utilization = vef_calloc(count + 1, sizeof *utilization);
    code = read_links(per_link, topology, utilization, error);
    if (code == VEF_OK) {
        vef_picture *picture = vef_busy_links_draw(topology, utilization, NULL);
        size_t bytes = 0;
        FILE *out = vef_memory_stream(&map->svg, &bytes);
        vef_picture_write(picture, out);
        fclose(out);
        code = draw_samples(root, topology, picture, &map->samples, error);
        vef_picture_free(picture);
    }
    free(utilization);
    vef_topology_destroy(topology);
    return code;
}

vef_code vef_report_heat_map(const vef_node *root, vef_heat_map *map, vef_error *error) {
    const vef_node *links = find_links(root);
    *map = (vef_heat_map){0};
    return links ? draw(root, links, map, error) : VEF_OK;
}
