/* The files that a study writes into its folder, and what `vef study` prints. */
#ifndef VEF_CLI_STUDY_TABLES_H
#define VEF_CLI_STUDY_TABLES_H

#include "common/report/report.h"
#include "study/store.h"

/* Writes results.csv, summary.csv, verdict.csv and the charts, of the size `figure` (NULL: their
 * own). */
vef_code vef_study_write_tables(vef_study *study, vef_study_store *store, const char *folder,
                                const char *figure, vef_error *error);

/* What a report of a study needs; `seconds` (expected, per point) only for a plan. */
typedef struct vef_study_report {
    vef_study *study;
    const vef_study_store *store; /* NULL: no results yet */
    const double *seconds;
    uint32_t jobs;
} vef_study_report;

/* Of a vef_study_report: results, with the summary as text, and the verdict; the plan; the verdict
 * alone; in one line the points that cannot run. */
vef_report_build vef_study_results_build, vef_study_plan_build, vef_study_verdict_build,
    vef_study_refused_build;

/* chart.c: draws a chart as FOLDER/NAME.FORMAT, svg, pdf or png; none if no point has a value for
 * it. `figure`: its size (size.h); NULL: that of the chart. */
vef_code vef_study_draw(const vef_study *study, const vef_study_store *store,
                        const vef_study_chart *chart, const char *folder, const char *format,
                        const char *figure, vef_error *error);

#endif
