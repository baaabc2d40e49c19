/* Reading the inputs of a report, and the pictures that belong to them: the heat map of links, the
 * communication matrix. See inputs.h. */
#include "cli/report/inputs.h"

#include "cli/info/view.h"
#include "cli/pictures/network.h"
#include "common/config/config.h"
#include "common/config/json.h"
#include "common/memory.h"
#include "common/pictures/picture.h"
#include "common/system/file.h"
#include "common/system/file_kind.h"
#include "interchange/chrome/chrome.h"
#include "replay/timeline/packed_timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_KEYS = 3, LARGEST_FILE = 1 << 28 };

/* A document of --json is of the first kind whose keys it has. */
static const struct {
    const char *kind, *keys[MOST_KEYS];
} kinds[] = {
    {"jobs", {"jobs", "time_cycles", "configuration"}}, /* each job has the keys of a replay */
    {"trace", {"mpi_calls", "per_task", "communicator_use"}},
    {"replay", {"trace", "time_cycles", "configuration"}},
    {"comparison", {"networks"}},
    {"load", {"points", "pattern", "configuration"}},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const char expected[] =
    "a trace, JSON that vef info, replay, load or compare wrote, or the folder of a study";

/* ---- documents ---- */

static const char *kind_of(const vef_node *document) {
    for (size_t kind = 0; kind < KINDS; kind++) {
        bool complete = true;
        for (size_t i = 0; i < MOST_KEYS && kinds[kind].keys[i]; i++)
            complete = complete && vef_node_get(document, kinds[kind].keys[i]);
        if (complete)
            return kinds[kind].kind;
    }
    return NULL;
}

/* ---- the heat map of links ---- */

/* Of the report of a replay or a load whose document has the utilisation of every link
 * (--per-link). The network of the picture is built from the key `configuration` of the document.
 */

/* A number of a mapping; NAN if it has none of that name. */
static double number_of(const vef_node *mapping, const char *key) {
    const vef_node *node = vef_node_get(mapping, key);
    double value = 0;
    const bool given = node && node->kind == VEF_NODE_SCALAR &&
                       vef_parse_real(node->scalar, key, &value, NULL) == VEF_OK;
    return given ? value : (double)NAN;
}

/* The members of a document that the picture needs. */
static const char *const heat_map_members[] = {"configuration", "per_link",     "points",
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

/* Draws the heat map of a document: of its `per_link`, or that of the point with the greatest rate;
 * and of its samples, if it has those of each link. A failure concerns the picture alone: the
 * document does not fit the network of its `configuration`. */
static vef_code draw_heat_map(const vef_node *root, vef_heat_map *map, vef_error *error) {
    const vef_node *links = find_links(root);
    *map = (vef_heat_map){0};
    return links ? draw(root, links, map, error) : VEF_OK;
}

/* A page without the picture is better than none. */
static void add_heat_map(const vef_node *document, vef_report_input *input) {
    vef_error why = {0};
    if (draw_heat_map(document, &input->heat_map, &why) != VEF_OK)
        input->no_heat_map = vef_strdup(why.message);
}

/* The members of documents without links, which may be large, are only checked. */
vef_code vef_report_read_document(vef_report_input *input, size_t bytes, vef_error *error) {
    static const char *const none[] = {NULL};
    vef_arena arena = {0};
    vef_node *document = NULL;
    const bool drawn = strstr(input->json, "\"per_link\"");
    vef_code code = vef_json_parse(input->json, bytes, input->name, drawn ? heat_map_members : none,
                                   &arena, &document, error);
    input->kind = code == VEF_OK ? kind_of(document) : NULL;
    if (code == VEF_OK && !input->kind)
        code = vef_fail(error, VEF_INVALID, "%s: unknown kind of document: expected %s",
                        input->name, expected);
    if (code == VEF_OK)
        add_heat_map(document, input);
    vef_arena_release(&arena);
    return code;
}

/* ---- traces ---- */

/* Ends the document of an input. */
static void write_document(vef_result *root, vef_report_input *input) {
    size_t size = 0;
    FILE *out = vef_memory_stream(&input->json, &size);
    vef_write_json(root, out);
    fclose(out);
    vef_result_free(root);
}

static vef_code put_timeline(vef_trace *trace, vef_result *into, vef_error *error) {
    vef_packed_timeline *packed = vef_packed_timeline_new(0);
    vef_notes notes = {0};
    const vef_code code = vef_chrome_record(trace, vef_packed_timeline_sink(packed), &notes, error);
    if (!code)
        VEF_PUT(vef_packed_timeline_put(packed, into), "notes", *notes.text ? notes.text : NULL);
    vef_packed_timeline_free(packed);
    return code;
}

/* The document of `vef info`, and the timeline of a trace with times. */
static vef_code describe_trace(vef_trace *trace, const vef_info_view *view, vef_report_input *input,
                               vef_error *error) {
    vef_code code = VEF_OK;
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    vef_info_put_document(view, root);
    if (view->durations && view->stats.run_ns > 0)
        code = put_timeline(trace, root, error);
    write_document(root, input);
    return code;
}

/* The picture of `vef info --plot`. */
static vef_code draw_matrix(vef_trace *trace, vef_info_view *view, vef_report_input *input,
                            vef_error *error) {
    vef_picture *picture = NULL;
    const vef_code code = vef_info_draw(trace, view, &picture, error);
    size_t bytes = 0;
    if (code || !picture)
        return code;
    FILE *out = vef_memory_stream(&input->heat_map.svg, &bytes);
    vef_picture_write(picture, out);
    fclose(out);
    vef_picture_free(picture);
    return VEF_OK;
}

static vef_code read_trace(const char *path, vef_report_input *input, bool *missing,
                           vef_error *error) {
    vef_trace *trace = NULL;
    vef_info_view view = {.path = path, .waits = 20};
    input->kind = "trace";
    vef_code code = vef_trace_open(path, &trace, &view.missing, error);
    if (!code)
        code = vef_info_read(trace, &view, error);
    if (!code) {
        code = describe_trace(trace, &view, input, error);
        vef_stats_free(&view.stats);
    }
    if (!code)
        code = draw_matrix(trace, &view, input, error);
    *missing = !code && view.missing;
    vef_trace_close(trace);
    return code;
}

/* ---- studies ---- */

/* The pictures that the study has drawn, as SVG, by the names of its charts. */
static void put_charts(const char *folder, const char *study, vef_result *into) {
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_error ignored;
    vef_result *list = vef_put_list(into, "charts");
    const vef_node *charts = vef_config_parse(study, folder, &arena, &root, &ignored) == VEF_OK
                                 ? vef_node_get(root, "charts")
                                 : NULL;
    for (size_t i = 0; charts && i < charts->count; i++) {
        const vef_node *name = vef_node_get(charts->items[i], "name");
        char *path = vef_printed("%s/%s.svg", folder, name ? name->scalar : ""), *svg = NULL;
        if (name && name->scalar && !strchr(name->scalar, '/') &&
            vef_file_read(path, LARGEST_FILE, &svg, NULL, &ignored) == VEF_OK) {
            vef_result *chart = vef_put_group(list, NULL);
            VEF_PUT(chart, "name", name->scalar);
            VEF_PUT(chart, "svg", svg);
        }
        free(svg);
        free(path);
    }
    vef_arena_release(&arena);
}

static vef_code read_study(const char *folder, vef_report_input *input, vef_error *error) {
    enum { VERDICT, STUDY };
    static const char *const names[] = {
        [VERDICT] = "verdict.csv", [STUDY] = "study.yaml", "results.csv", "summary.csv"};
    vef_code code = VEF_OK;
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    input->kind = "study";
    for (size_t i = 0; i < sizeof names / sizeof *names && !code; i++) {
        char *path = vef_printed("%s/%s", folder, names[i]), *text = NULL;
        code = vef_file_read(path, LARGEST_FILE, &text, NULL, error);
        VEF_PUT(root, names[i], text);
        if (i == STUDY && text)
            put_charts(folder, text, root);
        if (i == VERDICT) /* other versions write none */
            code = VEF_OK;
        free(text);
        free(path);
    }
    write_document(root, input);
    return code ? vef_fail_within(error, "%s: not the folder of a study: expected %s", folder,
                                  expected)
                : VEF_OK;
}

/* ---- */

/* Whether the first byte that is no blank is that of a map. */
static vef_code is_document(const char *path, bool *document, vef_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return vef_fail_errno(error, "%s", path);
    int first = fgetc(file);
    while (first == ' ' || first == '\n' || first == '\t' || first == '\r')
        first = fgetc(file);
    fclose(file);
    *document = first == '{';
    return VEF_OK;
}

vef_code vef_report_read(const char *path, vef_report_input *input, bool *missing,
                         vef_error *error) {
    struct stat status;
    bool document = false;
    *input = (vef_report_input){.name = path};
    *missing = false;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return read_study(path, input, error);
    vef_code code = is_document(path, &document, error);
    if (code)
        return code;
    if (document) {
        size_t bytes = 0;
        code = vef_file_read(path, LARGEST_FILE, &input->json, &bytes, error);
        code = code ? code : vef_report_read_document(input, bytes, error);
    } else {
        code = read_trace(path, input, missing, error);
    }
    return code ? vef_fail_kind(error, path, document ? "result" : "trace", expected) : VEF_OK;
}

void vef_report_input_release(vef_report_input *input) {
    free(input->json);
    free(input->heat_map.svg);
    free(input->heat_map.samples);
    free(input->no_heat_map);
    *input = (vef_report_input){0};
}
