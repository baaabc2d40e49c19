/* `vef model`: throughput and hops of a mapping for local and global traffic, without simulation.
 */
#include "cli/command.h"
#include "common/numbers.h"
#include "common/pictures/picture.h"
#include "common/plugin/library.h"
#include "mappings/grid.h"
#include "mappings/mapping.h"
#include "mappings/model.h"
#include "replay/machine.h"

#include <math.h>
#include <string.h>

enum { MOST_MAPPINGS = 16 };

typedef struct choices {
    bool net;
    const vef_report_format *format;
    const char *grid, *alpha;
    vef_plot plot;
    vef_texts maps, overrides;
    uint32_t tasks; /* 0: not given */
    bool mesh, force;
} choices;

static const vef_option options[] = {
    VEF_NET_OPTION(choices, net),
    VEF_OPTION(STRING, "grid", "WxH", choices, grid, "Logical grid of the tasks",
               .default_text = "the squarest of --tasks"),
    VEF_OPTION(COUNT, "tasks", "N", choices, tasks, "Number of tasks",
               .default_text = "that of the grid, else an endpoint each", .minimum = 1,
               .maximum = UINT32_MAX),
    VEF_FLAG("mesh", choices, mesh,
             "The grid is no torus: tasks at its edge have fewer neighbours"),
    VEF_TEXTS("map", "MAPPING", choices, maps,
              "Mapping of tasks to endpoints, as of vef map; repeat it for several"),
    VEF_OPTION(STRING, "alpha", "SHARES", choices, alpha,
               "Shares of local traffic: 0.5, 0:1:0.1 or a list", .fallback = "0:1:0.1"),
    VEF_SET_OPTION(choices, overrides, "network file (topology.a=8)"),
    VEF_PLOT_OPTIONS(choices, plot, "Draw throughput and hops as FILE.svg, .pdf or .png"),
    VEF_FLAG("force", choices, force, "Overwrite FILE"),
    VEF_PLUGIN_OPTION,
    VEF_LIMIT_OPTION,
    VEF_FORMAT_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {VEF_NEEDS("--figure", "--plot"), {0}};

/* ---- closed forms ---- */

/* The closed forms of Camarero, Vallejo, Martinez, Moreto, Beivide: "Task Mapping in Rectangular
 * Twisted Tori", sections 3.3 and 3.4 (Figures 5 and 6): a logical torus of 2a x a tasks, or of
 * 2a x 2a with two on a router, on a rectangular torus RT(a) or its twisted variant RTT(a). For
 * both figures the paper takes the mean load of the horizontal links, and mean distances over all
 * pairs of routers; those of RTT(a), 2a/3, are rounded, and so are the forms here. */

typedef struct closed_form {
    /* Throughput in phits per cycle and router: 4 / (local_load alpha + global_load (1 - alpha)).
     * Mean hops: local_hops alpha + global_hops (1 - alpha). */
    double local_load, global_load, local_hops, global_hops;
} closed_form;

enum { MAPPING_BYTES = 128 };

/* `hops_over_a`: local hops are `hops` + `hops_over_a` / a. */
static const struct {
    const char *family, *mapping;
    uint32_t tasks_on_router;
    double load, hops, hops_over_a;
} rows[] = {
    {"rt", "identity", 1, 1, 1, 0},
    {"rtt", "identity", 1, 2, 1.5, -1},
    {"rtt", "diagonal-shift", 1, 2, 1.5, 0},
    {"rt", "vertical-union(2)", 2, 1, 0.75, 0},
    {"rtt", "vertical-union(2)", 2, 1, 1, -0.5},
    {"rtt", "diagonal-shift.vertical-union(2)", 2, 1.5, 1, 0},
    {"rtt", "twisted-union(2)", 2, 1, 1, 0},
};

/* Without spaces, and with '.' for every composition. */
static void normalise(const char *mapping, char text[static MAPPING_BYTES]) {
    static const char ring[] = "∘";
    size_t used = 0;
    while (*mapping && used + 1 < MAPPING_BYTES) {
        if (strncmp(mapping, ring, sizeof ring - 1) == 0) {
            text[used++] = '.';
            mapping += sizeof ring - 1;
        } else if (*mapping == ' ') {
            mapping++;
        } else {
            text[used++] = *mapping++;
        }
    }
    text[used] = '\0';
}

/* Whether the paper has a closed form of this mapping: fills it in. `grid`: of the tasks; `wrap`:
 * whether it is a torus. */
static bool find_closed_form(const vef_topology *topology, const char *mapping, vef_grid grid,
                             bool wrap, closed_form *form) {
    const char *family = topology->family->name;
    const double a = topology->sizes[1];
    char text[MAPPING_BYTES];
    normalise(mapping, text);
    for (size_t i = 0; wrap && i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].family, family) != 0 || strcmp(rows[i].mapping, text) != 0 ||
            grid.width != topology->sizes[0] ||
            grid.height != rows[i].tasks_on_router * topology->sizes[1])
            continue;
        const bool twisted = strcmp(family, "rtt") == 0;
        *form = (closed_form){.local_load = rows[i].load,
                              .global_load = twisted ? 2 * a / 3 : a,
                              .local_hops = rows[i].hops + rows[i].hops_over_a / a,
                              .global_hops = twisted ? 2 * a / 3 : 3 * a / 4};
        return true;
    }
    return false;
}

static double form_throughput(const closed_form *form, double alpha) {
    return 4 / (form->local_load * alpha + form->global_load * (1 - alpha));
}

static double form_hops(const closed_form *form, double alpha) {
    return form->local_hops * alpha + form->global_hops * (1 - alpha);
}

typedef struct modelled {
    const char *name;
    vef_mapping_model model;
    bool has_form; /* the paper has a closed form */
    closed_form form;
} modelled;

typedef struct session {
    vef_arena arena;
    const vef_node *plugins; /* of the network file */
    vef_netmodel *network;
    const char *network_name;
    double alphas[VEF_MOST_NUMBERS];
    size_t alpha_count;
    modelled models[MOST_MAPPINGS];
    uint32_t count;
} session;

static vef_code read_alphas(const char *text, session *held, vef_error *error) {
    vef_code code = vef_numbers_read("--alpha", "a share such as 0.5", text, held->alphas,
                                     &held->alpha_count, error);
    for (size_t i = 0; code == VEF_OK && i < held->alpha_count; i++)
        if (!(held->alphas[i] >= 0 && held->alphas[i] <= 1))
            code = vef_fail(error, VEF_INVALID, "--alpha: %g: out of range: expected 0 to 1",
                            held->alphas[i]);
    return code;
}

static vef_code open_session(const choices *chosen, const char *path, session *held,
                             vef_error *error) {
    vef_node *root = NULL;
    held->network_name = path;
    vef_code code = vef_machine_open(path, chosen->overrides.text, chosen->overrides.count,
                                     &held->arena, &root, NULL, error);
    if (code == VEF_OK)
        code = vef_netmodel_create(root, &held->network, error);
    held->plugins = vef_library_list(root);
    if (code == VEF_OK)
        vef_command_warn_ignored("model", root);
    if (code == VEF_OK && !held->network->topology)
        code = vef_fail(error, VEF_UNSUPPORTED, "%s: no topology: expected one", path);
    if (code == VEF_OK)
        code = read_alphas(chosen->alpha, held, error);
    return code;
}

static vef_code add_model(const choices *chosen, const char *name, session *held,
                          vef_error *error) {
    const vef_topology *topology = held->network->topology;
    vef_mapping_request request = {
        .text = name, .plugins = held->plugins, .tasks = topology->endpoints};
    vef_mapping *mapping = NULL;
    modelled *added = &held->models[held->count];
    vef_code code =
        chosen->grid ? vef_mapping_parse_grid(chosen->grid, &request.grid, error) : VEF_OK;
    if (code == VEF_OK && vef_grid_dimensions(&request.grid) > 2)
        code = vef_fail(error, VEF_UNSUPPORTED, "--grid %s: expected two sides, such as 16x8",
                        chosen->grid);
    const uint64_t places = (uint64_t)request.grid.width * request.grid.height;
    if (chosen->tasks > 0)
        request.tasks = chosen->tasks;
    else if (chosen->grid && places <= UINT32_MAX)
        request.tasks = (uint32_t)places;
    const vef_grid grid = chosen->grid ? request.grid : vef_mapping_squarest(request.tasks);
    if (strcmp(name, "identity") == 0)
        request.grid = (vef_grid){{0}}; /* in order of the routers, whatever their grid */
    if (code == VEF_OK)
        code = vef_mapping_create(&request, topology, &mapping, error);
    if (code == VEF_OK) {
        *added = (modelled){.name = name};
        held->count++;
        added->has_form = find_closed_form(topology, name, grid, !chosen->mesh, &added->form);
        code = vef_mapping_model_make(mapping, grid, !chosen->mesh, topology, &added->model, error);
    }
    vef_mapping_destroy(mapping);
    return code;
}

/* ---- the report ---- */

static vef_value form_value(const modelled *mapping, double (*value)(const closed_form *, double),
                            double alpha) {
    return vef_value_or_na(mapping->has_form ? value(&mapping->form, alpha) : NAN);
}

static void build(const void *report, vef_result *root) {
    static const vef_column columns[] = {{.key = "map"},
                                         {.key = "alpha", .format = "%g"},
                                         {.key = "throughput", .format = "%.6f"},
                                         {.key = "throughput_per_router", .format = "%.6f"},
                                         {.key = "closed_form_per_router", .format = "%.6f"},
                                         {.key = "hops", .format = "%.6f"},
                                         {.key = "closed_form_hops", .format = "%.6f"},
                                         {0}};
    const session *held = report;
    VEF_PUT(root, "network", held->network_name);
    VEF_PUT(root, "tasks", held->models[0].model.tasks);
    vef_result *table = vef_put_table(root, "points", VEF_EVERYONE, columns);
    for (uint32_t m = 0; m < held->count; m++)
        for (size_t i = 0; i < held->alpha_count; i++) {
            const modelled *mapping = &held->models[m];
            const vef_mapping_model *model = &mapping->model;
            const double alpha = held->alphas[i], load = vef_mapping_model_throughput(model, alpha);
            VEF_CELLS(table, mapping->name, alpha, load, load * model->tasks / model->routers,
                      form_value(mapping, form_throughput, alpha),
                      vef_mapping_model_hops(model, alpha), form_value(mapping, form_hops, alpha));
        }
}

static vef_picture *draw(const session *held) {
    vef_picture *picture = vef_picture_new(2);
    vef_panel *load = vef_picture_add(picture, NULL), *hops = vef_picture_add(picture, NULL);
    load->x = hops->x = (vef_axis){.label = "share of local traffic", .least = 0, .most = 1};
    load->y = (vef_axis){.label = "throughput", .unit = "phits/cycle/task", .from_zero = true};
    hops->y = (vef_axis){.label = "hops", .from_zero = true};
    for (uint32_t m = 0; m < held->count; m++) {
        const modelled *mapping = &held->models[m];
        vef_picture_series *loads = vef_panel_series(load, mapping->name, VEF_LINE | VEF_DOTS);
        vef_picture_series *all_hops = vef_panel_series(hops, mapping->name, VEF_LINE | VEF_DOTS);
        for (size_t i = 0; i < held->alpha_count; i++) {
            const double alpha = held->alphas[i];
            vef_panel_mark(loads, alpha, vef_mapping_model_throughput(&mapping->model, alpha), NAN,
                           NAN);
            vef_panel_mark(all_hops, alpha, vef_mapping_model_hops(&mapping->model, alpha), NAN,
                           NAN);
        }
    }
    return picture;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    session held = {0};
    const int operand = vef_command_read(&vef_command_model, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    const size_t count = chosen.maps.count ? chosen.maps.count : 1;
    vef_code code = VEF_OK;
    if (count > MOST_MAPPINGS)
        code = vef_fail(&error, VEF_INVALID, "--map: expected at most %d", MOST_MAPPINGS);
    if (code == VEF_OK && chosen.plot.path)
        code = vef_command_output(chosen.plot.path, chosen.force, &error);
    if (code == VEF_OK && chosen.plot.path)
        code = vef_picture_check("--plot", &chosen.plot, &error);
    if (code == VEF_OK)
        code = open_session(&chosen, argv[operand], &held, &error);
    for (size_t i = 0; code == VEF_OK && i < count; i++)
        code =
            add_model(&chosen, chosen.maps.count ? chosen.maps.text[i] : "identity", &held, &error);
    if (code == VEF_OK)
        code = vef_report_write(chosen.format, build, &held, stdout, &error);
    if (code == VEF_OK && chosen.plot.path)
        code = vef_picture_save(draw(&held), &chosen.plot, &error);
    for (uint32_t m = 0; m < held.count; m++)
        vef_mapping_model_free(&held.models[m].model);
    vef_netmodel_destroy(held.network);
    vef_arena_release(&held.arena);
    return code == VEF_OK ? VEF_EXIT_OK : vef_command_error("model", &error);
}

const vef_command vef_command_model = {
    .name = "model",
    .summary = "Throughput and hops of a mapping for local and global traffic, by a formula",
    .usage = "NET.yaml|'{topology: …}' [--grid WxH] [--map MAPPING]... [--alpha SHARES] [OPTIONS]",
    .operands = "NET.yaml",
    .options = options,
    .rules = rules,
    .notes =
        "A share alpha of the messages goes to one of the neighbours of the sending task in the "
        "logical grid, the others to any task. throughput: phits per cycle and task at which the "
        "first link is full; throughput_per_router: the same for a router; hops: of a mean "
        "message. Messages are divided at each router evenly among the minimal ports. "
        "closed_form_...: the values of the formulas of Camarero et al., where they have one "
        "(docs/mappings.md).\n",
    .run = run,
};
