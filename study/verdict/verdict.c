/* The verdicts of a study. See verdict.h. */
#include "study/verdict/verdict.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "study/base.h"
#include "study/resolve.h"
#include "study/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct finding {
    vef_study *study;
    const vef_study_store *store;
    vef_study_verdicts *verdicts;
    size_t sweep;               /* the column; SIZE_MAX: none */
    size_t *application, *cell; /* per point: numbers by workload, and by alternatives too */
    size_t *slot;               /* per cell: its place in the verdict */
    size_t *reach;              /* per cell: the point at the end of its curve */
} finding;

/* ---- columns ---- */

static bool varies(const vef_study *study, size_t column) {
    for (size_t p = 1; p < study->point_count; p++)
        if (!vef_study_is_alike(&study->points[0], &study->points[p], &column, 1))
            return true;
    return false;
}

/* The column along which curves run, unless the study says how to compare them; SIZE_MAX: none. */
static size_t sweep_of(const vef_study *study) {
    const bool given = study->summary.measure_given || study->summary.peak_count > 0;
    return given || !study->kind->sweep ? SIZE_MAX
                                        : vef_study_find_column(study, study->kind->sweep);
}

/* The columns of a part, without those along which curves run. */
static size_t columns_of(const vef_study *study, vef_study_part part, bool varied,
                         size_t *columns) {
    const size_t sweep = sweep_of(study);
    size_t count = 0;
    for (size_t c = 0; c < study->column_count; c++)
        if (study->columns[c].part == part && c != sweep && !vef_study_is_peak(study, c) &&
            (!varied || varies(study, c)))
            columns[count++] = c;
    return count;
}

/* "cg", or "uniform, alpha 0.5": numbers have the names of their axes. */
static const char *name_application(const finding *found, size_t point, const size_t *columns,
                                    size_t count) {
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = vef_memory_stream(&text, &bytes);
    for (size_t i = 0; i < count; i++) {
        const char *label = found->study->points[point].label[columns[i]];
        const bool number = label && *label >= '0' && *label <= '9';
        if (!label || (number && !varies(found->study, columns[i])))
            continue;
        fputs(i ? ", " : "", out);
        vef_study_write_label(found->study->columns[columns[i]].name, label, out);
    }
    fclose(out);
    const char *kept = vef_arena_string(&found->verdicts->arena, text);
    free(text);
    return kept;
}

/* ---- cells ---- */

/* Makes the verdicts and their cells, without values. */
static void make_cells(finding *found) {
    vef_study *study = found->study;
    vef_study_verdicts *verdicts = found->verdicts;
    size_t *columns = vef_calloc(3 * study->column_count + 1, sizeof *columns);
    size_t *shown = columns + study->column_count, *named = shown + study->column_count;
    size_t count = columns_of(study, VEF_STUDY_WORKLOADS, false, columns);
    const size_t shown_count = columns_of(study, VEF_STUDY_ALTERNATIVES, true, shown);
    const size_t named_count = columns_of(study, VEF_STUDY_WORKLOADS, true, named);
    const size_t applications = vef_study_group(study, columns, count, found->application, NULL);
    memcpy(columns + count, shown, shown_count * sizeof *columns);
    vef_study_group(study, columns, count + shown_count, found->cell, NULL);
    verdicts->columns = vef_arena_alloc(&verdicts->arena, shown_count + 1, sizeof(char *));
    for (size_t i = 0; i < shown_count; i++)
        verdicts->columns[i] = study->columns[shown[i]].name;
    verdicts->list = vef_calloc(applications + 1, sizeof *verdicts->list);
    verdicts->count = shown_count > 0 ? applications : 0;
    for (size_t p = 0, next = 0; verdicts->count && p < study->point_count; p++) {
        vef_verdict *verdict = &verdicts->list[found->application[p]];
        if (verdict->count == 0)
            verdict->application = name_application(found, p, named_count ? named : columns,
                                                    named_count ? named_count : count > 0);
        if (found->cell[p] < next)
            continue;
        found->slot[next++] = verdict->count;
        vef_cell *cell = VEF_NEW_ITEM(verdict->cells, verdict->count, verdict->room);
        *cell = (vef_cell){0};
        cell->label = vef_arena_alloc(&verdicts->arena, shown_count + 1, sizeof *cell->label);
        for (size_t i = 0; i < shown_count; i++)
            cell->label[i] = study->points[p].label[shown[i]];
    }
    free(columns);
}

static vef_cell *cell_of(const finding *found, size_t p) {
    return &found->verdicts->list[found->application[p]].cells[found->slot[found->cell[p]]];
}

/* ---- values ---- */

/* Whether the greatest value of a figure is best. */
static bool is_greatest_best(const vef_study_kind *kind, const char *figure) {
    char word[64];
    snprintf(word, sizeof word, " %s ", figure);
    return kind->greatest && strstr(kind->greatest, word);
}

/* The relative half width of the interval that a run has measured; 0: it has not. */
static double half_width_of(const finding *found, size_t p, const char *figure) {
    const vef_study_half_width *row = found->study->kind->half_widths;
    while (row && row->figure && strcmp(row->figure, figure) != 0)
        row++;
    if (!row || !row->figure)
        return 0;
    const double ratio = vef_study_value_of(found->study, found->store, p, row->half_width) /
                         vef_study_value_of(found->study, found->store, p, row->unit_of);
    return ratio > 0 ? ratio : 0;
}

/* The number along the sweep. */
static double place_of(const finding *found, size_t p) {
    const char *label = found->study->points[p].label[found->sweep];
    return label ? strtod(label, NULL) : 0;
}

/* Sets the measure of each application, and of those without peaks the least end of its curves:
 * `end`, per application. */
static void choose_measures(const finding *found, double *end) {
    const vef_study *study = found->study;
    for (size_t a = 0; a < found->verdicts->count; a++) {
        found->verdicts->list[a].measure = study->summary.measure;
        end[a] = study->summary.peak_count ? NAN : INFINITY;
    }
    if (found->sweep == SIZE_MAX)
        return;
    for (size_t p = 0; p < study->point_count; p++) {
        size_t *reach = &found->reach[found->cell[p]];
        const char *saturated = vef_study_text_of(study, found->store, p, "saturated");
        *reach = *reach == SIZE_MAX || place_of(found, p) > place_of(found, *reach) ? p : *reach;
        if (saturated && strcmp(saturated, "true") == 0) {
            found->verdicts->list[found->application[p]].measure = study->kind->peak;
            end[found->application[p]] = NAN;
        }
    }
    for (size_t p = 0; p < study->point_count; p++)
        if (end[found->application[p]] > place_of(found, found->reach[found->cell[p]]))
            end[found->application[p]] = place_of(found, found->reach[found->cell[p]]);
    for (size_t a = 0; a < found->verdicts->count && varies(study, found->sweep); a++) {
        vef_verdict *verdict = &found->verdicts->list[a];
        const char *separator = *verdict->application ? ", " : "";
        char place[64] = "peak";
        if (!isnan(end[a]))
            snprintf(place, sizeof place, "%s %g", study->columns[found->sweep].name, end[a]);
        verdict->application = vef_arena_printed(&found->verdicts->arena, "%s%s%s",
                                                 verdict->application, separator, place);
    }
}

/* Adds the value of a point; `peak`: the greatest of its seed counts. */
static void add_value(const finding *found, size_t p, const char *measure, bool peak) {
    vef_cell *cell = cell_of(found, p);
    if (vef_study_sample_add(&cell->sample, found->study->points[p].seed,
                             vef_study_value_of(found->study, found->store, p, measure), p, peak))
        cell->half_width = half_width_of(found, p, measure);
}

static void add_values(const finding *found) {
    const vef_study_verdicts *verdicts = found->verdicts;
    double *end = vef_calloc(verdicts->count + 1, sizeof *end);
    choose_measures(found, end);
    for (size_t p = 0; p < found->study->point_count; p++) {
        const size_t a = found->application[p];
        if (found->sweep == SIZE_MAX || isnan(end[a]) || place_of(found, p) == end[a])
            add_value(found, p, verdicts->list[a].measure, isnan(end[a]));
    }
    free(end);
}

/* ---- why ---- */

/* The run of a point with --explain. */
static vef_study_point explanation_of(vef_study *study, const vef_study_point *point) {
    static const char *const added[] = {"--explain", "--once", NULL};
    vef_study_point made = *point;
    vef_hash hash = vef_hash_begin();
    made.arguments =
        vef_arena_alloc(&study->arena, point->argument_count + 3, sizeof *made.arguments);
    memcpy(made.arguments, point->arguments, point->argument_count * sizeof *made.arguments);
    vef_hash_add(&hash, point->key, strlen(point->key) + 1);
    for (size_t i = 0; added[i]; i++) {
        made.arguments[made.argument_count++] = added[i];
        vef_hash_add(&hash, added[i], strlen(added[i]) + 1);
    }
    vef_study_key_write(&hash, &made);
    return made;
}

static bool is_explained(const vef_study *study, const vef_verdict *verdict) {
    return study->kind->explains && study->verdict.explain &&
           strcmp(verdict->measure, study->kind->measure) == 0;
}

static char *find_why(const finding *found, const vef_verdict *verdict) {
    vef_study *study = found->study;
    const vef_study_record *runs[2];
    vef_reason reasons[VEF_MOST_REASONS];
    const size_t *points = vef_verdict_pair(verdict);
    size_t count = 0;
    if (!points)
        return NULL;
    for (int i = 0; i < 2 && is_explained(study, verdict); i++) {
        const vef_study_point run = explanation_of(study, &study->points[points[i]]);
        runs[i] = vef_study_store_find(found->store, &run);
        if (!runs[i] || !runs[i]->causes_ns)
            return NULL;
    }
    if (is_explained(study, verdict))
        return vef_why_by_causes(runs[0]->causes_ns, runs[1]->causes_ns);
    for (const vef_study_reason *row = study->kind->reasons; row && row->figure; row++)
        reasons[count++] =
            (vef_reason){row->name, vef_study_value_of(study, found->store, points[0], row->figure),
                         vef_study_value_of(study, found->store, points[1], row->figure)};
    return vef_why_by_figures(reasons, count);
}

/* ---- all applications ---- */

void vef_study_verdicts_find(vef_study *study, const vef_study_store *store,
                             vef_study_verdicts *verdicts) {
    const size_t points = study->point_count;
    finding found = {
        .study = study, .store = store, .verdicts = verdicts, .sweep = sweep_of(study)};
    *verdicts = (vef_study_verdicts){0};
    found.application = vef_calloc(4 * points + 1, sizeof *found.application);
    found.cell = found.application + points;
    found.slot = found.cell + points;
    found.reach = found.slot + points;
    memset(found.reach, 0xff, points * sizeof *found.reach);
    make_cells(&found);
    if (verdicts->count)
        add_values(&found);
    for (size_t v = 0; v < verdicts->count; v++) {
        vef_verdict *verdict = &verdicts->list[v];
        verdict->greatest = is_greatest_best(study->kind, verdict->measure);
        verdict->hint = study->kind->topology_alone ? NULL : "`seeds: 1:5`";
        vef_verdict_rank(verdict);
        verdict->why = find_why(&found, verdict);
    }
    free(found.application);
}

void vef_study_verdicts_release(vef_study_verdicts *verdicts) {
    for (size_t v = 0; v < verdicts->count; v++)
        vef_verdict_release(&verdicts->list[v]);
    free(verdicts->list);
    vef_arena_release(&verdicts->arena);
}

size_t vef_study_count_explanations(const vef_study *study) {
    size_t *columns = vef_calloc(study->column_count + 1, sizeof *columns);
    const size_t alternatives = columns_of(study, VEF_STUDY_ALTERNATIVES, true, columns);
    const size_t count = columns_of(study, VEF_STUDY_WORKLOADS, false, columns);
    const size_t applications = vef_study_group(study, columns, count, NULL, NULL);
    free(columns);
    return alternatives && study->kind->explains && study->verdict.explain ? 2 * applications : 0;
}

void vef_study_plan_explanations(vef_study *study, const vef_study_store *store) {
    vef_study_verdicts verdicts;
    vef_study_verdicts_find(study, store, &verdicts);
    study->explanations =
        vef_arena_alloc(&study->arena, 2 * verdicts.count + 1, sizeof *study->explanations);
    study->explanation_count = 0;
    for (size_t v = 0; v < verdicts.count; v++) {
        const vef_verdict *verdict = &verdicts.list[v];
        const size_t *points = is_explained(study, verdict) ? vef_verdict_pair(verdict) : NULL;
        for (int i = 0; points && i < 2; i++) {
            vef_study_point *made = &study->explanations[study->explanation_count];
            const vef_study_record *run = vef_study_store_find(store, &study->points[points[i]]);
            *made = explanation_of(study, &study->points[points[i]]);
            made->guess_s = VEF_STUDY_EXPLAINED_TIMES * run->seconds;
            made->first = 0; /* with this key: applications may have equal points */
            while (strcmp(study->explanations[made->first].key, made->key) != 0)
                made->first++;
            study->explanation_count++;
        }
    }
    vef_study_verdicts_release(&verdicts);
}
