/* Reading a trace for its report. See view.h. */
#include "cli/info/view.h"

#include <string.h>

enum { DEFAULT_WAITS = 5 };

static vef_code read_stats(vef_trace *trace, vef_info_view *view, vef_error *error) {
    vef_progress progress;
    size_t waits = view->waits < 0 ? DEFAULT_WAITS : (size_t)view->waits;
    vef_progress_begin(&progress, "reading");
    vef_code code = vef_stats_read(trace, waits, &progress, &view->stats, error);
    vef_progress_end(&progress);
    return code;
}

vef_code vef_info_read(vef_trace *trace, vef_info_view *view, vef_error *error) {
    view->header = vef_trace_get_header(trace);
    view->durations = !view->header->times || strcmp(view->header->times, "compute") != 0;
    view->file_bytes = vef_trace_bytes(trace);
    vef_code code = read_stats(trace, view, error);
    if (code)
        return code;
    code = vef_trace_under_way(trace, &view->under_way, &view->under_way_count, error);
    if (code)
        vef_stats_free(&view->stats);
    return code;
}
