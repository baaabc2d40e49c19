/* Reading the inputs of a report. See inputs.h. */
#include "cli/report/inputs.h"
#include "common/config/json.h"

#include "cli/info/view.h"
#include "cli/report/heat_map.h"
#include "cli/report/overview.h"
#include "common/memory.h"
#include "common/system/file.h"
#include "common/system/file_kind.h"

#include <string.h>
#include <sys/stat.h>

enum { MOST_KEYS = 3, LARGEST_FILE = 1 << 28, LARGEST_MATRIX = 128 };

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

/* A page without the picture is better than none. */
static void add_heat_map(const vef_node *document, vef_report_input *input) {
    vef_error why = {0};
    if (vef_report_heat_map(document, &input->heat_map, &why) != VEF_OK)
        input->no_heat_map = vef_strdup(why.message);
}

/* The members of documents without links, which may be large, are only checked. */
static vef_code read_document(const char *path, vef_report_input *input, vef_error *error) {
    static const char *const none[] = {NULL};
    size_t bytes = 0;
    vef_arena arena = {0};
    vef_node *document = NULL;
    vef_code code = vef_file_read(path, LARGEST_FILE, &input->json, &bytes, error);
    if (code)
        return code;
    const bool drawn = strstr(input->json, "\"per_link\"");
    code = vef_json_parse(input->json, bytes, path, drawn ? vef_heat_map_members : none, &arena,
                          &document, error);
    input->kind = code == VEF_OK ? kind_of(document) : NULL;
    if (code == VEF_OK && !input->kind)
        code = vef_fail(error, VEF_INVALID, "%s: unknown kind of document: expected %s", path,
                        expected);
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

/* The document of `vef info`, and when tasks were in MPI. */
static vef_code describe_trace(vef_trace *trace, const vef_info_view *view, vef_report_input *input,
                               vef_error *error) {
    vef_code code = VEF_OK;
    vef_result *root = vef_result_new(VEF_DOCUMENTS);
    vef_info_put_document(view, root);
    if (view->durations && view->stats.run_ns > 0)
        code = vef_report_overview(trace, view->stats.run_ns, root, error);
    write_document(root, input);
    return code;
}

static vef_code read_trace(const char *path, vef_report_input *input, bool *missing,
                           vef_error *error) {
    vef_trace *trace = NULL;
    vef_info_view view = {.path = path, .waits = 20};
    input->kind = "trace";
    vef_code code = vef_trace_open(path, &trace, &view.missing, error);
    if (!code) {
        view.matrix = vef_trace_get_header(trace)->tasks <= LARGEST_MATRIX;
        code = vef_info_read(trace, &view, error);
    }
    if (!code) {
        code = describe_trace(trace, &view, input, error);
        vef_stats_free(&view.stats);
    }
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
    code = document ? read_document(path, input, error) : read_trace(path, input, missing, error);
    return code ? vef_fail_kind(error, path, document ? "result" : "trace", expected) : VEF_OK;
}

void vef_report_input_release(vef_report_input *input) {
    free(input->json);
    free(input->heat_map);
    free(input->no_heat_map);
    *input = (vef_report_input){0};
}
