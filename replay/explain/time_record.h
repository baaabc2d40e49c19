/* Records, while a replay runs, where the time of every task went and who let it go on: the log
 * from which path.h walks the critical path.
 *
 * Each executor (events.h) has a track: its time as segments that follow each other without gaps.
 * Neighbours alike are one segment, so a task that computes between calls which cost nothing has a
 * segment per wait. A segment takes 16 bytes, and one that ended with a message 80 more. */
#ifndef VEF_REPLAY_EXPLAIN_TIME_RECORD_H
#define VEF_REPLAY_EXPLAIN_TIME_RECORD_H

#include "common/containers/map64.h"
#include "replay/events.h"
#include "replay/explain/causes.h"
#include "replay/explain/messages.h"
#include "traces/file/trace.h"

#include <stddef.h>

enum { VEF_SEGMENT_REGIONS = 1 << 16, VEF_SEGMENT_PLACES = 1 << 12, VEF_DEEPEST_REGION = 14 };
#define VEF_NO_LINK UINT32_MAX

/* How a segment was spent. */
typedef enum vef_segment_kind {
    VEF_SEGMENT_COMPUTING,
    VEF_SEGMENT_OUTSIDE,
    VEF_SEGMENT_OVERHEAD,
    VEF_SEGMENT_WAIT,   /* `link`: until when, and why; without one, for something in its task */
    VEF_SEGMENT_FOLLOW, /* another executor determined its end: `link` */
} vef_segment_kind;

typedef struct vef_track_segment {
    uint64_t end_ps;     /* it begins at the end of the one before */
    uint32_t link;       /* of `links`, or VEF_NO_LINK */
    unsigned kind : 4;   /* vef_segment_kind */
    unsigned place : 12; /* that it was spent in (vef_time_record_call); 0: in no call */
    unsigned region : 16;
} vef_track_segment;

/* From the end of a segment back to the call of another executor that determined it, and what
 * happened in between, by cause: the transfer, and waits in the middle of it. */
typedef struct vef_segment_link {
    vef_origin origin;
    uint64_t ps[VEF_CAUSES - VEF_CAUSE_WINDOW];
} vef_segment_link;

typedef struct vef_track {
    vef_track_segment *segments;
    size_t count, room;
    uint64_t begin_ps, until_ps; /* the start of the first one, the end of the last one */
    uint16_t place;              /* that the strand is in, or 0 */
    uint32_t depth;              /* of the open regions */
    uint16_t regions[VEF_DEEPEST_REGION + 1]; /* [0]: none */
    uint32_t task;
    vef_cause_ps ps, left_ps; /* now, and at the end of its last call */
} vef_track;

/* How a task ended. */
typedef struct vef_task_end {
    uint32_t track;
    uint64_t end_ps;
    vef_cause_ps ps; /* their sum is end_ps, less the start of the task */
} vef_task_end;

/* A call from a site. */
typedef struct vef_site_place {
    uint32_t site;
    uint16_t call;
} vef_site_place;

typedef struct vef_time_record {
    vef_listener listener;
    vef_carried_messages messages; /* it listens, too */
    vef_track *tracks;
    size_t track_room;
    uint32_t track_count, strands;
    vef_segment_link *links;
    size_t link_count, link_room;
    vef_task_end *ends; /* per task */
    uint32_t tasks;
    char **regions; /* names; 0: none */
    size_t region_count, region_room;
    /* Calls from known sites: their places follow those below VEF_CALL_COUNT, of which each is a
     * call from anywhere. */
    const vef_trace_header *trace; /* has the call sites; NULL: each is a place of its own */
    vef_site_place *site_places;
    size_t site_place_count, site_place_room;
    vef_map64 place_of;       /* by site and call */
    vef_release_kind release; /* what the following waits are due to */
    uint64_t released_by;
} vef_time_record;

/* Ready to listen to a replay; it must not move until its end. */
void vef_time_record_begin(vef_time_record *record);
/* Adds it to the listeners of a replay. */
void vef_time_record_listen(vef_time_record *record, const vef_listener **listeners);
void vef_time_record_release(vef_time_record *record);
uint64_t vef_time_record_bytes(const vef_time_record *record);

/* The call of a place; and its site, 0: not known. */
static inline uint16_t vef_time_record_call(const vef_time_record *record, unsigned place) {
    return place < VEF_CALL_COUNT ? (uint16_t)place
                                  : record->site_places[place - VEF_CALL_COUNT].call;
}
static inline uint32_t vef_time_record_site(const vef_time_record *record, unsigned place) {
    return place < VEF_CALL_COUNT ? 0 : record->site_places[place - VEF_CALL_COUNT].site;
}

static inline uint64_t vef_segment_begin(const vef_track *track, size_t index) {
    return index ? track->segments[index - 1].end_ps : track->begin_ps;
}

#endif
