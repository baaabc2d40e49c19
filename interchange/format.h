/* Formats of other tools: one row of vef_formats (table.c) and one folder each.
 *
 * Other simulators read messages: a collective is written for them as the messages of its plan
 * (replay/collectives/plan.h). Formats of viewers have the calls themselves. The report lists, with
 * numbers, what a format cannot express and how it was approximated. */
#ifndef VEF_INTERCHANGE_FORMAT_H
#define VEF_INTERCHANGE_FORMAT_H

#include "common/status.h"
#include "replay/collectives/choices.h"
#include "traces/file/trace.h"
#include "traces/slice/slice.h"

typedef struct vef_format_report {
    uint64_t lines;  /* lines or records written; not set by readers */
    vef_notes notes; /* approximations and omissions, with numbers */
} vef_format_report;

typedef struct vef_format_options {
    double poll_gap_ns;         /* as in a replay: gaps of polls up to this are not computation */
    double reduce_ns_per_byte;  /* computation time of combining a byte */
    const vef_choices *choices; /* the algorithms of collectives; NULL: of the first preset */
    /* Of formats of parts: */
    const vef_slice_options *part; /* NULL: the whole trace */
    uint64_t max_bytes;            /* of the file; 0: unbounded */
} vef_format_options;

/* The foreign file is the first path. Both leave nothing behind on failure. A writer may create
 * further files beside `path`, named after it. */
typedef vef_code vef_format_writer(const char *path, vef_trace *trace,
                                   const vef_format_options *options, vef_format_report *report,
                                   vef_error *error);
typedef vef_code vef_format_reader(const char *path, const char *trace_path,
                                   vef_format_report *report, vef_error *error);

typedef struct vef_format {
    const char *name;
    const char *summary;      /* one line: what it is, and which tools read it */
    bool parts;               /* the writer selects a part of the trace, and bounds the size */
    vef_format_writer *write; /* NULL: not supported in that direction */
    vef_format_reader *read;  /* NULL: not supported in that direction */
} vef_format;

extern const vef_format vef_formats[]; /* terminated by a row whose name is NULL */

/* NULL: unknown name. */
const vef_format *vef_format_find(const char *name);

/* The folders of the formats. */
vef_format_writer vef_goal_write, vef_simgrid_write, vef_chrome_write, vef_paraver_write,
    vef_text_form_write, vef_otf2_write;
vef_format_reader vef_goal_read, vef_dumpi_read, vef_paraver_read, vef_text_form_read,
    vef_otf2_read, vef_chakra_read, vef_simgrid_read;

#endif
