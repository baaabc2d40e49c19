/* How timelines show calls and regions of the program: names, arguments, and which regions are
 * open. Shared by timelines of traces (interchange/chrome/events.c) and of replays
 * (replay_timeline.h). */
#ifndef VEF_REPLAY_TIMELINE_CALL_SLICES_H
#define VEF_REPLAY_TIMELINE_CALL_SLICES_H

#include "common/report/timeline.h"
#include "traces/call.h"
#include "traces/file/trace.h"

#include <stdbool.h>

enum { VEF_CALL_MOST_ARGUMENTS = 9, VEF_CALL_TITLE_BYTES = 80 };

/* "MPI_Send" */
void vef_call_title(uint16_t call, char title[VEF_CALL_TITLE_BYTES]);
/* Fills in up to VEF_CALL_MOST_ARGUMENTS; `number` is that of the event in its task, `site` room
 * for the name of its call site. */
size_t vef_call_describe(const vef_event *event, uint64_t number, const vef_trace_header *trace,
                         vef_timeline_argument *arguments, char site[VEF_SITE_NAME_BYTES]);

typedef struct vef_shown_region {
    char *name;
    bool written; /* its slice is open */
} vef_shown_region;

/* The regions that a thread is in, the innermost last. */
typedef struct vef_shown_regions {
    vef_shown_region *open;
    size_t count, room;
} vef_shown_regions;

void vef_shown_regions_push(vef_shown_regions *regions, const char *name, bool written);
/* The count of regions up to the innermost of that name, which an end closes with what was begun
 * inside it, as in statistics (traces/stats/regions.c); 0: none. */
size_t vef_shown_regions_find(const vef_shown_regions *regions, const char *name);
void vef_shown_regions_pop(vef_shown_regions *regions);
void vef_shown_regions_free(vef_shown_regions *regions);

#endif
