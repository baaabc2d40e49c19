/* Writing timelines: shared by write.c (passes, the file), events.c (the events of a task as
 * slices) and messages.c (arrows). */
#ifndef VEF_INTERCHANGE_CHROME_CHROME_H
#define VEF_INTERCHANGE_CHROME_CHROME_H

#include "common/containers/interval_set.h"
#include "common/containers/map64.h"
#include "common/report/timeline.h"
#include "common/system/file.h"
#include "interchange/format.h"
#include "traces/slice/slice.h"

enum {
    VEF_CHROME_TASKS = 1,         /* the group of all tracks */
    VEF_CHROME_INTERVALS = 8192,  /* of time, whose bytes are counted */
    VEF_CHROME_FRAME_BYTES = 256, /* bound for what ends the file */
    VEF_CHROME_END_BYTES = 96,    /* bound for what ends a slice */
};

/* The messages from one task to another. */
typedef struct vef_chrome_messages {
    vef_runs sent, received; /* by ordinal; after the survey `sent` has those with both ends */
    uint64_t kept, number;   /* their count; the number of the first one's arrow */
    uint64_t *first_ns;      /* of each, 1 + the time of the end that was written first; 0: none */
} vef_chrome_messages;

typedef struct vef_chrome {
    vef_trace *trace;
    const vef_trace_header *header;
    vef_slice_options part;
    vef_timeline timeline; /* `out` NULL: nothing is written, nor counted */
    bool writing;          /* the last pass */
    uint32_t task;         /* the current one */
    uint64_t tracks;       /* of the tasks before it */
    vef_map64 pair_of;     /* sender and receiver → place in `pairs` */
    vef_chrome_messages *pairs;
    size_t pair_count, pair_capacity;
    /* Facts of the last pass. */
    uint64_t calls, ends; /* in the part; ends of messages */
    uint64_t one_sided;   /* operations */
    uint64_t unmatched;   /* ends without a counterpart in the trace */
    uint64_t arrow_ends;  /* written */
    uint64_t back;        /* arrows that point back in time */
    uint64_t longest_ns;  /* of all tasks */
    /* The bound. */
    uint64_t frame_bytes;                  /* what is written without events */
    uint64_t interval_ns, *interval_bytes; /* of VEF_CHROME_INTERVALS */
    bool cut;
    uint64_t cut_ns, calls_in_part; /* calls without the cut */
} vef_chrome;

/* An end of a message: of the current task, where it leaves or enters. */
typedef struct vef_chrome_end {
    bool enters;
    uint32_t peer;
    uint64_t ordinal;
    uint64_t bytes; /* where it leaves; 0: not known */
} vef_chrome_end;

/* The timeline of a whole trace for a sink, for example a page. `notes` gets what is not as it
 * looks. */
vef_code vef_chrome_record(vef_trace *trace, const vef_timeline_sink *sink, vef_notes *notes,
                           vef_error *error);

/* Notes the end of a message, or writes that of its arrow; a slice is open there. */
void vef_chrome_message(vef_chrome *chrome, const vef_chrome_end *end, uint64_t track,
                        uint64_t time_ns);
/* Numbers the messages with both ends in the part, from 1. */
void vef_chrome_number_messages(vef_chrome *chrome);
void vef_chrome_forget_messages(vef_chrome *chrome);

/* A pass over the events of the part. */
vef_code vef_chrome_read(vef_chrome *chrome, vef_error *error);

#endif
