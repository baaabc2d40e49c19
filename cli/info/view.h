/* Shared by the parts of `vef info`: view.c reads the trace, tables.c makes tables, text.c text,
 * document.c documents, picture.c the heat map of the traffic matrix. */
#ifndef VEF_CLI_INFO_VIEW_H
#define VEF_CLI_INFO_VIEW_H

#include "common/pictures/picture.h"
#include "common/report/report.h"
#include "traces/stats/stats.h"

#include <inttypes.h>

typedef struct vef_info_view {
    const char *path, *missing;
    const vef_trace_header *header;
    vef_stats stats;
    const vef_under_way *under_way; /* calls that tasks are in, or were in when killed */
    size_t under_way_count;
    uint64_t file_bytes;
    bool durations; /* the trace has them */
    const vef_report_format *format;
    bool matrix, calls, sites, per_task, sizes, partners, regions, communicators, calls_under_way,
        running;
    int64_t waits; /* number of rows; negative: not requested */
    vef_plot plot;
} vef_info_view;

/* Reads the trace: fills in the header, the statistics (free with vef_stats_free), the calls under
 * way and the size of the file. */
vef_code vef_info_read(vef_trace *trace, vef_info_view *view, vef_error *error);

/* Adds a table of at most `most` rows, the largest first. */
typedef void vef_info_table(const vef_info_view *view, vef_result *into, const char *name,
                            size_t most);
vef_info_table vef_info_calls, vef_info_tasks, vef_info_sizes, vef_info_waits, vef_info_regions,
    vef_info_under_way, vef_info_comms, vef_info_partners, vef_info_sites, vef_info_site_bytes;
void vef_info_spread(const vef_info_view *view, vef_result *into); /* over tasks, for people */
/* The traffic matrix, row by row, since it may exceed memory. */
void vef_info_matrix(const vef_info_view *view, vef_result *into);

/* The number of calls in the trace. */
size_t vef_info_distinct_calls(const vef_info_view *view);

/* The report: for people; the requested tables; as a document. */
void vef_info_put_text(const vef_info_view *view, vef_result *into);
void vef_info_put_tables(const vef_info_view *view, vef_result *into);
void vef_info_put_document(const vef_info_view *view, vef_result *into);

/* An entry of the matrix; visited by rows. */
typedef struct vef_info_pair {
    uint32_t from, to;
    uint64_t messages, bytes;                     /* point to point */
    uint64_t one_sided_messages, one_sided_bytes; /* both directions */
} vef_info_pair;
typedef void vef_info_pair_visit(void *context, const vef_info_pair *pair);
void vef_info_pairs(const vef_info_view *view, vef_info_pair_visit *visit, void *context);

vef_code vef_info_picture(const vef_info_view *view, vef_error *error);

const char *vef_info_end_name(vef_log_end end);
const char *vef_info_kind_name(vef_kind kind);

static inline double vef_info_ratio(uint64_t part, uint64_t whole) {
    return whole ? (double)part / (double)whole : 0.0;
}

/* "MPI_Send"; marks of the program have no prefix. `to` has 80 bytes. */
const char *vef_info_call_name(char *to, size_t call);

#endif
