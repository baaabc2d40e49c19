/* Tables of a study. See tables.h. */
#include "cli/study/tables.h"

#include "common/memory.h"
#include "common/system/file.h"
#include "study/run.h"
#include "study/table.h"
#include "study/verdict/summary.h"
#include "study/verdict/verdict.h"

#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

static vef_code write_csv(vef_report_build *build, const vef_study_report *report,
                          const char *folder, const char *name, vef_error *error) {
    char *path = vef_printed("%s/%s", folder, name);
    vef_output output;
    vef_code code = vef_output_open(&output, path, error);
    free(path);
    if (code != VEF_OK)
        return code;
    vef_report_write(&vef_report_csv, build, report, output.stream, NULL);
    return vef_output_commit(&output, error);
}

static void build_results(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    vef_study_put_results(report->study, report->store, root);
}

static void build_summary(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    vef_study_put_summary(report->study, report->store, root);
}

void vef_study_verdict_build(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    vef_study_verdicts verdicts;
    vef_study_verdicts_find(report->study, report->store, &verdicts);
    vef_verdicts_put(verdicts.list, verdicts.count, verdicts.columns, root);
    vef_study_verdicts_release(&verdicts);
}

/* As PDF and PNG too, where there is a program for that. */
static vef_code draw_charts(const vef_study *study, const vef_study_store *store,
                            const char *folder, const char *figure, vef_error *error) {
    static const char *const formats[] = {"svg", "pdf", "png", NULL};
    vef_code code = VEF_OK;
    for (size_t c = 0; code == VEF_OK && c < study->chart_count; c++) {
        for (size_t f = 0; code == VEF_OK && formats[f]; f++)
            code =
                vef_study_draw(study, store, &study->charts[c], folder, formats[f], figure, error);
        code = code == VEF_UNSUPPORTED ? VEF_OK : code;
    }
    return code;
}

vef_code vef_study_write_tables(vef_study *study, vef_study_store *store, const char *folder,
                                const char *figure, vef_error *error) {
    vef_code code = vef_study_store_lock_tables(store, error);
    const vef_study_report report = {.study = study, .store = store};
    if (code == VEF_OK)
        code = write_csv(build_results, &report, folder, "results.csv", error);
    if (code == VEF_OK)
        code = write_csv(build_summary, &report, folder, "summary.csv", error);
    if (code == VEF_OK)
        code = write_csv(vef_study_verdict_build, &report, folder, "verdict.csv", error);
    if (code == VEF_OK)
        code = draw_charts(study, store, folder, figure, error);
    vef_study_store_unlock_tables(store);
    return code;
}

/* ---- results ---- */

typedef struct problem {
    const char *state, *reason; /* reason NULL: none */
} problem;

/* Why a point did not reach its end; none of a repetition. */
static problem find_failure(const vef_study *study, const vef_study_store *store, size_t p) {
    const vef_study_record *record = vef_study_store_find(store, &study->points[p]);
    if (!record || record->state == VEF_STUDY_DONE || record->state == VEF_STUDY_REFUSED ||
        study->points[p].first != p)
        return (problem){0};
    return (problem){vef_study_state_name(record->state), record->reason};
}

/* Why a point cannot run, likewise. */
static problem find_refusal(const vef_study *study, const vef_study_store *store, size_t p) {
    const vef_study_record *record = store ? vef_study_store_find(store, &study->points[p]) : NULL;
    const char *reason = study->points[p].refused;
    if (record && record->state == VEF_STUDY_REFUSED)
        reason = record->reason;
    return study->points[p].first == p ? (problem){"cannot run", reason} : (problem){0};
}

/* Each reason once, with the first of its points. */
static void say_reasons(const vef_study *study, const vef_study_store *store,
                        problem (*find)(const vef_study *, const vef_study_store *, size_t),
                        vef_result *into) {
    enum { MOST_SHOWN = 10 };
    const char *shown[MOST_SHOWN];
    size_t count = 0;
    for (size_t p = 0; p < study->point_count && count < MOST_SHOWN; p++) {
        const problem found = find(study, store, p);
        size_t more = 0, s = 0;
        while (found.reason && s < count && strcmp(shown[s], found.reason) != 0)
            s++;
        if (!found.reason || s < count)
            continue;
        shown[count++] = found.reason;
        for (size_t q = p + 1; q < study->point_count; q++) {
            const problem other = find(study, store, q);
            more += other.reason && strcmp(other.reason, found.reason) == 0;
        }
        vef_say(into, "point %zu", p + 1);
        if (more)
            vef_say(into, " and %zu others", more);
        vef_say(into, " %s: %s\n", found.state, found.reason);
    }
}

void vef_study_results_build(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    const vef_study_tally tally = vef_study_count(report->study, report->store);
    VEF_PUT(root, "points", tally.points);
    VEF_PUT(root, "done", tally.done);
    VEF_PUT(root, "stalled", tally.stalled);
    VEF_PUT(root, "failed", tally.failed);
    VEF_PUT(root, "refused", tally.refused);
    VEF_PUT(root, "missing", tally.missing);
    if (vef_result_is_for(root, VEF_DOCUMENTS) ||
        (vef_result_is_for(root, VEF_PEOPLE) && report->study->summary.by_count > 0))
        vef_study_put_summary(report->study, report->store, root);
    vef_study_put_results(report->study, report->store, root);
    vef_say(root, "\n%zu points: %zu done, %zu stalled, %zu failed", tally.points, tally.done,
            tally.stalled, tally.failed);
    if (tally.refused)
        vef_say(root, ", %zu cannot run", tally.refused);
    vef_say(root, ", %zu without result\n", tally.missing);
    say_reasons(report->study, report->store, find_failure, root);
    say_reasons(report->study, report->store, find_refusal, root);
    if (!vef_result_is_for(root, VEF_TABLES))
        vef_study_verdict_build(report, root);
}

/* ---- the plan ---- */

typedef struct expected {
    size_t points; /* with different keys */
    size_t to_run, cannot_run;
    double seconds; /* on `jobs` cores */
    size_t explanations;
} expected;

/* The time on several cores: at least that of the longest point. */
static expected expect(const vef_study_report *report) {
    expected sum = {.explanations = vef_study_count_explanations(report->study)};
    double longest = 0, whole = 0;
    for (size_t p = 0; p < report->study->point_count; p++) {
        const vef_study_point *point = &report->study->points[p];
        const bool known = report->store && vef_study_store_find(report->store, point);
        sum.points += point->first == p;
        sum.cannot_run += find_refusal(report->study, report->store, p).reason != NULL;
        whole += report->seconds[p];
        if (point->first != p || point->refused || known)
            continue;
        sum.to_run++;
        sum.seconds += report->seconds[p];
        longest = report->seconds[p] > longest ? report->seconds[p] : longest;
    }
    if (sum.to_run)
        sum.seconds += VEF_STUDY_EXPLAINED_TIMES * whole / (double)report->study->point_count *
                       (double)sum.explanations;
    sum.seconds /= report->jobs;
    sum.seconds = sum.seconds > longest ? sum.seconds : longest;
    return sum;
}

void vef_study_plan_build(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    const expected sum = expect(report);
    VEF_PUT(root, "points", sum.points);
    VEF_PUT(root, "to_run", sum.to_run);
    VEF_PUT(root, "cannot_run", sum.cannot_run);
    VEF_PUT(root, "explanations", sum.explanations);
    VEF_PUT(root, "expected_seconds", sum.seconds);
    VEF_PUT(root, "jobs", report->jobs);
    vef_study_put_plan(report->study, report->store, report->seconds, root);
    vef_say(root, "\n%zu points, %zu to run", sum.points, sum.to_run);
    if (sum.explanations && sum.to_run)
        vef_say(root, ", and %zu to explain the verdict", sum.explanations);
    vef_say(root, ": about %.3g s with %u at a time", sum.seconds, report->jobs);
    if (sum.cannot_run)
        vef_say(root, "; %zu cannot run", sum.cannot_run);
    vef_say(root, "\n");
    say_reasons(report->study, report->store, find_refusal, root);
}

void vef_study_refused_build(const void *context, vef_result *root) {
    const vef_study_report *report = context;
    const vef_study_tally tally = vef_study_count(report->study, report->store);
    if (tally.refused == 0)
        return;
    size_t p = 0;
    while (!find_refusal(report->study, report->store, p).reason)
        p++;
    vef_say(root, "vef study: %zu of %zu points cannot run (--plan names them); point %zu: %s\n",
            tally.refused, tally.points, p + 1,
            find_refusal(report->study, report->store, p).reason);
}
