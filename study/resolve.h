/* The keys of points. Results are kept under a key: a hash of the program's version, the command
 * and its arguments, the resolved configuration of the network instead of its name, and the
 * contents instead of the names of traces and job files. So a result is found again after a comment
 * in a network file has changed, or a trace was moved, and not after its content has. The other
 * files that a point reads are known when it has run: its result names them (inputs.h). */
#ifndef VEF_STUDY_RESOLVE_H
#define VEF_STUDY_RESOLVE_H

#include "common/progress.h"
#include "study/study.h"

/* Fills in key, refused, guess_s and first of every point. A point whose network or trace cannot be
 * read is refused, no error; errors are those of the machine. */
vef_code vef_study_resolve(vef_study *study, const char *version, vef_progress *progress,
                           vef_error *error);

/* Writes a hash as the key of a point. */
void vef_study_key_write(const vef_hash *hash, vef_study_point *point);

#endif
