/* One result as a line of JSON:
 *
 *   {"key": …, "vef": VERSION, "state": …, "reason": …, "seconds": …, "host": …,
 *    "arguments": […], "labels": {…}, "figures": {…}, "result": {the document of the command}}
 *
 * The members before "result" are in that order, so that reading can end there. */
#ifndef VEF_STUDY_RECORD_H
#define VEF_STUDY_RECORD_H

#include "study/store.h"

/* Writes the line, with its end, from malloc. VEF_CORRUPT if the document is none. */
vef_code vef_study_record_write(const vef_study *study, const vef_study_point *point,
                                const vef_study_outcome *outcome, const char *version, char **line,
                                size_t *bytes, vef_error *error);

/* Reads a line without its end, which is changed. `place` names it in messages; `*version` is that
 * of the program that wrote it. Texts live in `arena`. */
vef_code vef_study_record_read(const vef_study_kind *kind, char *line, const char *place,
                               vef_arena *arena, vef_study_record *record, const char **version,
                               vef_error *error);

#endif
