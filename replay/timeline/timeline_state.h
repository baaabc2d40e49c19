/* State of the timeline of a replay, shared by
 *
 *   replay_timeline.c  the file, samples, what is left out
 *   tracks.c           slices and ends of arrows on tracks; the part; the bound
 *   spans.c            events of the time of tasks
 *   arrows.c           events of messages
 *
 * The bound: while the file is written, the ends of what is open (slices, arrows) are counted as if
 * they were in it. When that sum leaves no more than a reserve for executors that are behind, the
 * timeline is cut at the latest time at which a call was entered so far. From then on only calls
 * that are entered earlier are written. Should even the reserve be used up, nothing begins any
 * more, so that the bound holds in any case. */
#ifndef VEF_REPLAY_TIMELINE_TIMELINE_STATE_H
#define VEF_REPLAY_TIMELINE_TIMELINE_STATE_H

#include "common/report/timeline.h"
#include "common/status.h"
#include "common/system/file.h"
#include "replay/events.h"
#include "replay/state/sim_time.h"
#include "replay/timeline/call_slices.h"
#include "traces/slice/select.h"

enum { /* groups */
       VEF_SHOWN_TASKS = 1,
       VEF_SHOWN_PLANS,
       VEF_SHOWN_TARGETS,
       VEF_SHOWN_LINKS,
       VEF_SHOWN_LOST,
};

/* Bounds for what ends a slice and an arrow. */
enum { VEF_SHOWN_END_BYTES = 128, VEF_SHOWN_ARROW_BYTES = 448 };
#define VEF_NO_SHOWN_TRACK UINT32_MAX

/* The end of an arrow that is still to be written. */
typedef struct vef_arrow_end {
    uint64_t time_ns, number;
    uint32_t peer; /* the task where it leaves; on the track of a target: of the call */
    uint16_t call; /* on the track of a target */
    bool enters;
} vef_arrow_end;

typedef struct vef_shown_track {
    uint32_t group, task, thread;
    uint64_t place;               /* of the track in its group, from 1 */
    uint64_t until_ps;            /* the end of the last report */
    uint64_t last_ns;             /* the end of the last event */
    uint64_t events;              /* entered */
    uint16_t call;                /* of the open slice; 0: none */
    bool in_call, named, stopped; /* stopped: at the cut */
    bool beside;                  /* in a call outside the part */
    vef_shown_regions regions;
    vef_arrow_end *queue; /* by time */
    size_t queued, queue_room;
} vef_shown_track;

/* A message under way; number 0: without an arrow. */
typedef struct vef_shown_message {
    uint64_t number, sent_ns, ready_ps;
    uint32_t sender, posted_by;
} vef_shown_message;

/* A message of a window under way. */
typedef struct vef_shown_flight {
    uint64_t number, sent_ns; /* of the arrow under way; 0: none */
    uint32_t who, origin, target;
    uint16_t call;
    uint8_t ways;         /* begun */
    bool answered, shown; /* shown: its first way has an arrow */
} vef_shown_flight;

/* A broadcast under way: its arrows that have not entered have the numbers from `next` to `end`. */
typedef struct vef_shown_broadcast {
    uint64_t sent_ps, sent_ns, next, end;
    uint32_t sender;
} vef_shown_broadcast;

typedef struct vef_replay_timeline {
    vef_listener listener;
    vef_output output;
    vef_timeline timeline;
    const vef_trace_header *header;  /* of the trace */
    bool plans_named, targets_named; /* their groups */
    vef_shown_track *tracks;         /* by executor */
    size_t track_count, track_room;
    vef_shown_track *targets;    /* by task; NULL until needed */
    uint32_t tasks, *first_of;   /* tracks of tasks */
    vef_shown_message *messages; /* by record */
    size_t message_room;
    vef_shown_flight *flights; /* by record */
    size_t flight_room;
    vef_shown_broadcast *broadcasts;
    size_t broadcast_count, broadcast_room;
    vef_arrow_end *lost; /* arrows that no track takes */
    size_t lost_count, lost_room;
    uint64_t arrows, entered_ns, end_ns, reached_ns; /* reached: by any task, in the part or not */
    /* The part. */
    const vef_slice_options *part; /* NULL: everything */
    vef_selector *selectors;       /* by task; NULL with the whole */
    uint64_t ends_outside;         /* of messages whose other end is not in the part */
    uint64_t operations, flown;    /* one-sided operations; those that travelled */
    /* The bound. */
    uint64_t limit_bytes, max_bytes, owed_bytes; /* UINT64_MAX: none; of ends of what is open */
    bool cut, full;
    uint64_t cut_ns, left_out, calls;
    vef_notes notes;
} vef_shown;

static inline uint64_t vef_later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Rounded down. */
static inline uint64_t vef_shown_ns(uint64_t ps) {
    return ps / VEF_PS_PER_NS;
}

/* tracks.c */
/* Whether so many more bytes fit, with the ends of what is open. */
bool vef_shown_fits(vef_shown *shown, uint64_t bytes);
/* Whether something begins on the track: inside a call that is written, or before the cut. */
bool vef_shown_begins(vef_shown *shown, vef_shown_track *on, uint64_t time_ns);
/* Whether the part has this task. */
bool vef_shown_task(const vef_shown *shown, uint32_t task);
/* Whether what happens on the track now, at that time, is in the part. */
bool vef_shown_now(const vef_shown *shown, const vef_shown_track *on, uint64_t time_ns);

/* NULL if the executor has no track. */
vef_shown_track *vef_shown_track_of(vef_shown *shown, uint32_t who);
void vef_shown_reserve(vef_shown *shown, uint32_t count);
/* Times on a track do not decrease: returns the later of this one and the last. */
uint64_t vef_shown_move(vef_shown *shown, vef_shown_track *on, uint64_t time_ns);
void vef_shown_begin(vef_shown *shown, vef_shown_track *on, uint64_t time_ns, const char *category,
                     const char *name, const vef_timeline_argument *arguments, size_t count);
void vef_shown_end(vef_shown *shown, vef_shown_track *on, uint64_t time_ns, const char *name);
/* Ends the slice of a call, or of a plan, if one is open. */
void vef_shown_end_call(vef_shown *shown, vef_shown_track *on, uint64_t time_ns);

/* An end of an arrow waits for its time. */
void vef_shown_queue(vef_shown_track *on, vef_arrow_end end);
/* Writes the ends of arrows up to a time; `leaving`: also all that leave. */
void vef_shown_flush(vef_shown *shown, vef_shown_track *on, uint64_t until_ns, bool leaving);
void vef_shown_lose(vef_shown *shown, vef_arrow_end end);
/* The arrows that wait for the track are lost. */
void vef_shown_lose_queue(vef_shown *shown, vef_shown_track *on);
/* The arrows that no track takes enter one of their own. */
void vef_shown_put_lost(vef_shown *shown);

/* spans.c */

void vef_shown_add_spans(vef_listener *listener);
/* The innermost region ends. */
void vef_shown_leave_region(vef_shown *shown, vef_shown_track *on, uint64_t time_ns);

/* arrows.c */

void vef_shown_add_arrows(vef_listener *listener);
/* The arrows of messages that are still under way are lost. */
void vef_shown_end_arrows(vef_shown *shown);

#endif
