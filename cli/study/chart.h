/* The charts of a study. */
#ifndef VEF_CLI_STUDY_CHART_H
#define VEF_CLI_STUDY_CHART_H

#include "study/store.h"

/* Draws a chart as FOLDER/NAME.FORMAT, svg, pdf or png; none if no point has a value for it.
 * `figure`: its size (size.h); NULL: that of the chart. */
vef_code vef_study_draw(const vef_study *study, const vef_study_store *store,
                        const vef_study_chart *chart, const char *folder, const char *format,
                        const char *figure, vef_error *error);

#endif
