/* Reading a study file. See study.h. */
#include "common/memory.h"
#include "common/pictures/size.h"
#include "common/system/file.h"
#include "common/system/file_kind.h"
#include "study/axes.h"
#include "study/base.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_FILE_BYTES = 16 << 20 };

/* Keys besides those of the kind, `set` and `vary`. */
static const char *const file_keys[] = {"run",     "set",     "vary",   "parts", "except",
                                        "summary", "verdict", "charts", "hold",  NULL};
static const char *const part_keys[] = {"set", "vary", NULL};

bool vef_study_matches(const vef_study_point *point, const vef_study_match *match) {
    for (size_t i = 0; i < match->count; i++) {
        const char *label = point->label[match->column[i]];
        if (!label || strcmp(label, match->label[i]) != 0)
            return false;
    }
    return true;
}

/* ---- names of columns and figures ---- */

static vef_code find_column(const vef_study *study, const vef_node *node, const char *name,
                            size_t *column, vef_error *error) {
    *column = vef_study_find_column(study, name);
    if (*column != SIZE_MAX)
        return VEF_OK;
    const char **names = vef_calloc(study->column_count + 1, sizeof *names);
    for (size_t c = 0; c < study->column_count; c++)
        names[c] = study->columns[c].name;
    vef_fail_unknown(error, "axis", name, names, study->column_count);
    free(names);
    return vef_node_within(node, error);
}

static vef_code check_figure(const vef_study *study, const vef_node *node, const char *name,
                             vef_error *error) {
    size_t count = 0;
    for (; study->kind->figures[count]; count++)
        if (strcmp(study->kind->figures[count], name) == 0)
            return VEF_OK;
    vef_fail_unknown(error, "figure", name, study->kind->figures, count);
    return vef_node_within(node, error);
}

static bool has_label(const vef_study *study, size_t column, const char *label) {
    for (size_t p = 0; p < study->point_count; p++)
        if (study->points[p].label[column] && strcmp(study->points[p].label[column], label) == 0)
            return true;
    return false;
}

/* {network: rt, mapping: identity}; labels must occur. */
static vef_code read_match(vef_study *study, const vef_node *node, const char *what,
                           vef_study_match *match, vef_error *error) {
    if (node->kind != VEF_NODE_MAPPING || node->count == 0)
        return vef_node_fail(node, error, "%s: expected a mapping of axes to values", what);
    match->column = vef_arena_alloc(&study->arena, node->count, sizeof *match->column);
    match->label = vef_arena_alloc(&study->arena, node->count, sizeof *match->label);
    for (size_t i = 0; i < node->count; i++) {
        vef_code code = find_column(study, node->items[i], node->keys[i], &match->column[i], error);
        if (code != VEF_OK)
            return code;
        const char *label = node->items[i]->scalar;
        if (!label || !has_label(study, match->column[i], label))
            return vef_node_fail(node->items[i], error, "%s: no point has %s '%s'", what,
                                 node->keys[i], label ? label : "(a list or mapping)");
        match->label[i] = label;
    }
    match->count = node->count;
    return VEF_OK;
}

/* A name or a list of names of columns; absent: none. */
static vef_code read_columns(vef_study *study, const vef_node *node, size_t **columns,
                             size_t *count, vef_error *error) {
    if (!node)
        return VEF_OK;
    const bool list = node->kind == VEF_NODE_SEQUENCE;
    *count = list ? node->count : 1;
    *columns = vef_arena_alloc(&study->arena, *count + 1, sizeof **columns);
    for (size_t i = 0; i < *count; i++) {
        const vef_node *item = list ? node->items[i] : node;
        if (item->kind != VEF_NODE_SCALAR)
            return vef_node_fail(item, error, "expected the name of an axis");
        vef_code code = find_column(study, item, item->scalar, &(*columns)[i], error);
        if (code != VEF_OK)
            return code;
    }
    return VEF_OK;
}

/* ---- points ---- */

static vef_code read_kind(const vef_node *root, vef_study *study, vef_error *error) {
    const vef_node *run = vef_node_get(root, "run");
    const char *names[16];
    size_t count = 0;
    if (run && run->kind != VEF_NODE_SCALAR)
        return vef_node_fail(run, error, "run: expected a name");
    for (; vef_study_kinds[count] && count < 16; count++) {
        names[count] = vef_study_kinds[count]->name;
        if (!run || strcmp(names[count], run->scalar) == 0) {
            study->kind = vef_study_kinds[count];
            return VEF_OK;
        }
    }
    vef_fail_unknown(error, "kind of points", run->scalar, names, count);
    return vef_node_within(run, error);
}

/* The axes of the file with those of the part. */
static vef_code read_part(vef_study *study, const vef_node *root, const vef_node *part,
                          vef_study_axes *axes, vef_error *error) {
    vef_code code = vef_study_axes_read(root, study->kind, file_keys, axes, &study->arena, error);
    if (code == VEF_OK && part && part->kind != VEF_NODE_MAPPING)
        return vef_node_fail(part, error, "parts: expected a mapping");
    if (code == VEF_OK && part)
        code = vef_study_axes_read(part, study->kind, part_keys, axes, &study->arena, error);
    return code;
}

static vef_code read_parts(vef_study *study, const vef_node *root, vef_error *error) {
    const vef_node *parts = vef_node_get(root, "parts");
    if (parts && (parts->kind != VEF_NODE_SEQUENCE || parts->count == 0))
        return vef_node_fail(parts, error, "parts: expected a list of mappings");
    const size_t count = parts ? parts->count : 1;
    vef_study_axes *axes = vef_calloc(count, sizeof *axes);
    vef_code code = VEF_OK;
    size_t room = 0;
    for (size_t i = 0; code == VEF_OK && i < count; i++) {
        code = read_part(study, root, parts ? parts->items[i] : NULL, &axes[i], error);
        if (code == VEF_OK)
            vef_study_plan_columns(study, &axes[i]);
    }
    for (size_t i = 0; code == VEF_OK && i < count; i++)
        code = vef_study_plan_add(study, &axes[i], parts ? parts->items[i] : root, &room, error);
    for (size_t i = 0; i < count; i++)
        vef_study_axes_free(&axes[i]);
    free(axes);
    return code;
}

/* Drops the points that an exception matches. */
static vef_code read_exceptions(vef_study *study, const vef_node *list, vef_error *error) {
    if (!list)
        return VEF_OK;
    if (list->kind != VEF_NODE_SEQUENCE)
        return vef_node_fail(list, error, "except: expected a list of mappings of axes to values");
    vef_study_match *match = vef_arena_alloc(&study->arena, list->count + 1, sizeof *match);
    for (size_t i = 0; i < list->count; i++) {
        vef_code code = read_match(study, list->items[i], "except", &match[i], error);
        if (code != VEF_OK)
            return code;
    }
    size_t kept = 0;
    for (size_t p = 0; p < study->point_count; p++) {
        bool dropped = false;
        for (size_t i = 0; i < list->count; i++)
            dropped = dropped || vef_study_matches(&study->points[p], &match[i]);
        if (!dropped)
            study->points[kept++] = study->points[p];
    }
    study->point_count = kept;
    return kept ? VEF_OK : vef_node_fail(list, error, "except: no point is left");
}

/* ---- summary and charts ---- */

/* The figure of the last key that has one: of points with traffic, that of the traffic. */
static const char *default_measure(const vef_study *study) {
    const char *measure = study->kind->measure;
    for (const vef_study_key *key = study->kind->keys; key->key; key++)
        if (key->measure && vef_study_find_column(study, key->column) != SIZE_MAX)
            measure = key->measure;
    return measure;
}

static vef_code read_summary(vef_study *study, const vef_node *node, vef_error *error) {
    static const vef_param schema[] = {
        {VEF_KEY(STRING, vef_study_summary, measure), .fallback = "~", .help = "a figure"},
        {.key = "base", .kind = VEF_PARAM_SECTION, .help = "axes and values"},
        {.key = "peak", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = "by", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = NULL},
    };
    vef_study_summary *summary = &study->summary;
    const vef_node *base = vef_node_get(node, "base"), *by = vef_node_get(node, "by");
    vef_code code = vef_config_read(node, "summary", schema, NULL, summary, &study->arena, error);
    summary->measure_given = summary->measure != NULL;
    if (code == VEF_OK && summary->measure)
        code = check_figure(study, vef_node_get(node, "measure"), summary->measure, error);
    else
        summary->measure = default_measure(study);
    if (code == VEF_OK && base)
        code = read_match(study, base, "base", &summary->base, error);
    if (code == VEF_OK)
        code = read_columns(study, vef_node_get(node, "peak"), &summary->peak, &summary->peak_count,
                            error);
    summary->by = summary->base.column;
    summary->by_count = summary->base.count;
    return code == VEF_OK ? read_columns(study, by, &summary->by, &summary->by_count, error) : code;
}

/* The key `verdict`, and the repetitions, which depend on it. */
static vef_code read_verdict(vef_study *study, const vef_node *node, vef_error *error) {
    static const vef_param schema[] = {
        {VEF_KEY(BOOL, vef_study_verdict, explain), .fallback = "true"},
        {.key = "workloads", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = "alternatives", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = "repetitions", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = NULL},
    };
    static const char *const parts[] = {[VEF_STUDY_ALTERNATIVES] = "alternatives",
                                        [VEF_STUDY_WORKLOADS] = "workloads",
                                        [VEF_STUDY_REPETITIONS] = "repetitions"};
    size_t *columns = NULL, count = 0;
    vef_code code =
        vef_config_read(node, "verdict", schema, NULL, &study->verdict, &study->arena, error);
    for (unsigned part = 0; code == VEF_OK && part < sizeof parts / sizeof *parts;
         part++, count = 0) {
        code = read_columns(study, vef_node_get(node, parts[part]), &columns, &count, error);
        for (size_t i = 0; code == VEF_OK && i < count; i++)
            study->columns[columns[i]].part = part;
    }
    columns = vef_calloc(study->column_count + study->point_count + 1, sizeof *columns);
    count = 0;
    for (size_t c = 0; c < study->column_count; c++)
        if (study->columns[c].part == VEF_STUDY_REPETITIONS)
            columns[count++] = c;
    vef_study_group(study, columns, count, columns + study->column_count, NULL);
    for (size_t p = 0; p < study->point_count; p++)
        study->points[p].seed = columns[study->column_count + p];
    free(columns);
    return code;
}

/* What an axis of a chart shows: a figure or, where `axis`, an axis of the study. */
static vef_code check_name(const vef_study *study, const vef_node *node, bool axis,
                           vef_error *error) {
    size_t column;
    if (!axis || check_figure(study, node, node->scalar, NULL) == VEF_OK)
        return check_figure(study, node, node->scalar, error);
    return find_column(study, node, node->scalar, &column, error);
}

/* A point has the means of two figures, and needs a name: by default that of its network. */
static vef_code check_points(vef_study *study, const vef_node *x, vef_study_chart *chart,
                             vef_error *error) {
    if (vef_study_find_column(study, chart->x) != SIZE_MAX)
        return vef_node_fail(x, error, "charts: points: expected a figure as x");
    if (chart->series_count == 0) {
        chart->series = vef_arena_alloc(&study->arena, 1, sizeof *chart->series);
        chart->series[chart->series_count++] = vef_study_find_column(study, "network");
    }
    return VEF_OK;
}

static vef_code read_chart(vef_study *study, const vef_node *node, vef_study_chart *chart,
                           vef_error *error) {
    static const char *const kinds[] = {[VEF_STUDY_BARS] = "bars",
                                        [VEF_STUDY_CURVES] = "curves",
                                        [VEF_STUDY_POINTS] = "points",
                                        NULL};
    static const char *const relations[] = {"false", "true", "ratio", "percent", NULL};
    static const vef_param schema[] = {
        {VEF_KEY(STRING, vef_study_chart, name),
         .help = "the name of the picture's file without extension"},
        {VEF_KEY(CHOICE, vef_study_chart, kind), .choices = kinds},
        {VEF_KEY(STRING, vef_study_chart, x), .help = "the name of an axis or a figure"},
        {VEF_KEY(STRING, vef_study_chart, y), .help = "the name of a figure"},
        {.key = "series", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {.key = "facets", .kind = VEF_PARAM_SECTION, .help = "axes"},
        {VEF_KEY(CHOICE, vef_study_chart, relative), .fallback = "false", .choices = relations},
        {.key = "figure", .kind = VEF_PARAM_SECTION, .section = vef_picture_size_schema},
        {VEF_KEY(STRING, vef_study_chart, title), .fallback = "~"},
        {.key = NULL},
    };
    const vef_node *name = vef_node_get(node, "name"), *x = vef_node_get(node, "x");
    vef_code code = vef_config_read(node, "charts", schema, NULL, chart, &study->arena, error);
    if (code != VEF_OK)
        return code;
    if (!*chart->name || strchr(chart->name, '/'))
        return vef_node_fail(name, error,
                             "charts: name '%s': charts are written to the folder of the results: "
                             "expected %s, without '/'",
                             chart->name, schema[0].help);
    for (size_t c = 0; c + 1 < study->chart_count; c++)
        if (strcmp(study->charts[c].name, chart->name) == 0)
            return vef_node_fail(name, error, "charts: name '%s' is listed twice: expected another",
                                 chart->name);
    if (chart->relative && study->summary.base.count == 0)
        return vef_node_fail(vef_node_get(node, "relative"), error,
                             "charts: relative: expected a base in the summary");
    code = check_name(study, x, true, error);
    if (code == VEF_OK)
        code = check_name(study, vef_node_get(node, "y"), false, error);
    if (code == VEF_OK && chart->kind == VEF_STUDY_BARS &&
        vef_study_find_column(study, chart->x) == SIZE_MAX)
        return vef_node_fail(x, error, "charts: bars: expected an axis as x");
    if (code == VEF_OK)
        code = vef_picture_size_get(vef_node_get(node, "figure"), &chart->size, error);
    if (code == VEF_OK)
        code = read_columns(study, vef_node_get(node, "facets"), &chart->facets,
                            &chart->facet_count, error);
    if (code == VEF_OK)
        code = read_columns(study, vef_node_get(node, "series"), &chart->series,
                            &chart->series_count, error);
    if (code == VEF_OK && chart->kind == VEF_STUDY_POINTS)
        code = check_points(study, x, chart, error);
    return code;
}

static vef_code read_charts(vef_study *study, const vef_node *list, vef_error *error) {
    vef_code code = VEF_OK;
    if (!list)
        return VEF_OK;
    if (list->kind != VEF_NODE_SEQUENCE)
        return vef_node_fail(list, error, "charts: expected a list of mappings");
    study->charts = vef_arena_alloc(&study->arena, list->count + 1, sizeof *study->charts);
    for (size_t i = 0; code == VEF_OK && i < list->count; i++)
        code = read_chart(study, list->items[i], &study->charts[study->chart_count++], error);
    return code;
}

/* ---- what is held ---- */

/* `hold: cost`, by the first network, or {cost: rt, endpoints: rt}. */
static vef_code read_hold(vef_study *study, const vef_node *node, vef_error *error) {
    static const char *const per[] = {
        [VEF_STUDY_PER_ENDPOINT] = "endpoint", [VEF_STUDY_PER_NETWORK] = "network", NULL};
    static const vef_param schema[] = {
        {VEF_KEY(STRING, vef_study_hold, cost), .fallback = "~"},
        {VEF_KEY(STRING, vef_study_hold, endpoints), .fallback = "~"},
        {VEF_KEY(CHOICE, vef_study_hold, per), .fallback = "endpoint", .choices = per},
        {.key = NULL},
    };
    vef_study_hold *hold = &study->hold;
    const size_t network = vef_study_find_column(study, "network");
    const char *const *const held[] = {&hold->cost, &hold->endpoints};
    if (node && study->kind->topology_alone)
        return vef_node_fail(node, error, "hold: not supported with run: topology");
    if (node && node->kind == VEF_NODE_SCALAR && strcmp(node->scalar, "cost") == 0)
        hold->cost = study->points[0].label[network];
    else if (node && node->kind == VEF_NODE_SCALAR && strcmp(node->scalar, "endpoints") == 0)
        hold->endpoints = study->points[0].label[network];
    else if (node && node->kind == VEF_NODE_MAPPING) {
        const vef_code code =
            vef_config_read(node, "hold", schema, NULL, hold, &study->arena, error);
        if (code != VEF_OK)
            return code;
    } else if (node)
        return vef_node_fail(node, error,
                             "hold: expected cost, endpoints, or a mapping of these to networks");
    for (size_t i = 0; i < sizeof held / sizeof *held; i++)
        if (*held[i] && !has_label(study, network, *held[i]))
            return vef_node_fail(vef_node_get(node, schema[i].key), error,
                                 "hold: %s: no point has network '%s'", schema[i].key, *held[i]);
    return VEF_OK;
}

/* ---- the file ---- */

/* What follows the points, in this order: charts need the base of the summary. */
static const struct {
    const char *key;
    vef_code (*read)(vef_study *study, const vef_node *node, vef_error *error);
} sections[] = {{"except", read_exceptions},
                {"summary", read_summary},
                {"verdict", read_verdict},
                {"charts", read_charts},
                {"hold", read_hold}};

vef_code vef_study_read(const char *path, vef_study *study, vef_error *error) {
    vef_node *root = NULL;
    char *text = NULL;
    *study = (vef_study){.path = path};
    vef_code code = vef_file_read(path, LONGEST_FILE_BYTES, &text, NULL, error);
    if (code == VEF_OK)
        study->text = vef_arena_string(&study->arena, text);
    free(text);
    if (code == VEF_OK)
        code = vef_config_parse(study->text, path, &study->arena, &root, error);
    if (code == VEF_OK && root->kind != VEF_NODE_MAPPING)
        code = vef_node_fail(root, error, "expected a study: a mapping with the key networks");
    if (code == VEF_OK)
        code = read_kind(root, study, error);
    if (code == VEF_OK)
        code = read_parts(study, root, error);
    for (size_t s = 0; code == VEF_OK && s < sizeof sections / sizeof *sections; s++)
        code = sections[s].read(study, vef_node_get(root, sections[s].key), error);
    for (size_t p = 0; p < study->point_count; p++)
        study->points[p].first = p;
    if (code != VEF_OK)
        return vef_fail_kind(error, path, "study", "a study: YAML with the keys run and networks");
    vef_study_find_bases(study);
    return VEF_OK;
}

void vef_study_release(vef_study *study) {
    free(study->points);
    vef_study_inputs_free(&study->inputs);
    vef_arena_release(&study->arena);
    *study = (vef_study){0};
}
