/* The text form of a trace: one line per event, to be read, compared and written by hand. FORMAT.md
 * describes it. `vef_text_assemble` of the output of `vef_text_dump` gives the same trace again:
 * the dump of both is the same, and so is the file, byte for byte, if its tasks have one thread
 * each and were written one after another, as merging and assembling do. */
#ifndef VEF_TRACES_TEXT_TEXT_H
#define VEF_TRACES_TEXT_TEXT_H

#include "common/status.h"
#include "traces/file/trace.h"

#include <stdio.h>

/* Writes a trace as text; only the events of `task` unless that is negative. Reports failures of
 * `out`. */
vef_code vef_text_dump(vef_trace *trace, int64_t task, FILE *out, vef_error *error);

/* Makes the trace `path` from the text of `in` (`name` is for messages, which have the line).
 * Matching finds omitted ordinals, and omitted bytes of receives. The text is read twice and not
 * kept in memory: a pipe is first copied to a temporary file. */
vef_code vef_text_assemble_file(FILE *in, const char *name, const char *path, vef_error *error);

/* The same for a text in memory. */
vef_code vef_text_assemble(const char *text, size_t size, const char *name, const char *path,
                           vef_error *error);

#endif
