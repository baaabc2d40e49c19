/* Writer of timelines: groups of tracks with nested slices, marks, arrows between slices, and
 * counters, in the JSON object form of the Trace Event Format (Google, "Trace Event Format", 2016),
 * which Perfetto and chrome://tracing read. A group is a process of that format, a
 * track a thread.
 *
 * Events are written as they come: memory does not grow. The caller guarantees:
 *   - the events of a track come in the order of their times, those of different tracks in any
 *     order; times are in ns, and written exactly, in us with three decimals;
 *   - slices of a track nest, and each is ended;
 *   - an arrow leaves while a slice is open on its track. Its two ends share a number that no other
 *     arrow of the timeline has.
 *
 * A slice is a pair of events B and E. A complete event (X) is shorter, but has a duration, which
 * readers add to its time after they have rounded both: such slices may overlap by 1 ns, and
 * Perfetto drops slices that overlap. A pair also keeps slices of length 0, and their arrows. The
 * end of a slice has its name because speedscope ignores one without; slices of length 0 inside
 * others it cannot read, in either form (of events at one time it takes ends first).
 *
 * An arrow enters by a slice of its own, of length 0. Perfetto (FlowTracker of its trace processor)
 * directs an arrow from the slice that begins earlier to the other one: an arrow into a call that
 * waits since before the arrow left would be reversed. It drops arrows that enter before they
 * leave. */
#ifndef VEF_COMMON_REPORT_TIMELINE_H
#define VEF_COMMON_REPORT_TIMELINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* An argument of a slice, which viewers show when it is selected. */
typedef struct vef_timeline_argument {
    const char *key;
    const char *text; /* NULL: `number` */
    uint64_t number;
} vef_timeline_argument;

/* An end of an arrow. */
typedef struct vef_timeline_arrow {
    uint32_t group;
    uint64_t track;
    uint64_t row; /* the track of group 1 that the end belongs to; 0: none */
    uint64_t time_ns, number;
    uint64_t bytes;   /* of the message; where it leaves */
    const char *name; /* of the slice by which it enters; NULL: it leaves */
} vef_timeline_arrow;

/* What a timeline can go to instead of a file: tracks, slices and arrows of group 1. */
typedef struct vef_timeline_sink {
    void *context; /* the first argument of each function */
    void (*add_track)(void *context, uint64_t track, const char *name);
    void (*begin)(void *context, uint64_t track, uint64_t time_ns, const char *category,
                  const char *name, const vef_timeline_argument *arguments, size_t count);
    void (*end)(void *context, uint64_t track, uint64_t time_ns);
    void (*end_arrow)(void *context, const vef_timeline_arrow *end);
} vef_timeline_sink;

typedef struct vef_timeline {
    FILE *out;                     /* the caller's; it reports write errors */
    const vef_timeline_sink *sink; /* NULL: the file. Else the timeline is only set to it */
    uint64_t events;               /* events written so far */
    uint64_t bytes;                /* bytes written so far */
} vef_timeline;

/* Begins the file; the arguments describe it. vef_timeline_end ends it. */
void vef_timeline_begin(vef_timeline *timeline, FILE *out, const vef_timeline_argument *facts,
                        size_t count);
void vef_timeline_end(vef_timeline *timeline);

/* Names a group or a track, and its place among the others, before its first event. Numbers start
 * at 1: viewers reserve process 0 and thread 0 of operating systems. */
void vef_timeline_group(vef_timeline *timeline, uint32_t group, const char *name);
void vef_timeline_track(vef_timeline *timeline, uint32_t group, uint64_t track, const char *name);

/* Begins a slice; its category may be used to filter. vef_timeline_slice_end ends the innermost,
 * and has its name. */
void vef_timeline_slice(vef_timeline *timeline, uint32_t group, uint64_t track, uint64_t time_ns,
                        const char *category, const char *name,
                        const vef_timeline_argument *arguments, size_t count);
void vef_timeline_slice_end(vef_timeline *timeline, uint32_t group, uint64_t track,
                            uint64_t time_ns, const char *name);
void vef_timeline_mark(vef_timeline *timeline, uint32_t group, uint64_t track, uint64_t time_ns,
                       const char *name);
void vef_timeline_arrow_end(vef_timeline *timeline, const vef_timeline_arrow *end);

/* A value of a counter of the group, which holds until the next. */
void vef_timeline_counter(vef_timeline *timeline, uint32_t group, uint64_t time_ns,
                          const char *name, double value);

#endif
