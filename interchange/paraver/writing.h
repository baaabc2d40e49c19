/* Writing a Paraver trace: the state shared by survey.c (the first pass), records.c (the lines of a
 * call), write.c (all lines in the order of time) and names.c (the files beside). */
#ifndef VEF_INTERCHANGE_PARAVER_WRITING_H
#define VEF_INTERCHANGE_PARAVER_WRITING_H

#include "common/containers/map64.h"
#include "interchange/format.h"
#include "interchange/names.h"
#include "interchange/paraver/paraver.h"
#include "replay/comms.h"

#include <stdio.h>

/* The receive of a message: Irecv's return and the return of the call that completes it, or the
 * begin and the end of a blocking receive. */
typedef struct vef_paraver_receive {
    uint64_t begin_ns, end_ns;
    uint32_t thread;
    bool known; /* false: no receive of the trace */
} vef_paraver_receive;

/* The messages from one task to another, by ordinal. */
typedef struct vef_paraver_receives {
    vef_paraver_receive *list;
    size_t room;
} vef_paraver_receives;

/* The calls of a thread that are entered later than its own times say (traces/slice/slice.h). */
typedef struct vef_paraver_delay {
    uint64_t call, ns; /* number in the thread */
} vef_paraver_delay;

typedef struct vef_paraver_strand {
    uint64_t begin_ns; /* where its clock begins */
    uint64_t calls;    /* so far, in either pass */
    bool finalized;    /* of thread 0: the task's last call is MPI_Finalize */
    vef_paraver_delay *delays;
    size_t delay_count, delay_room, delay; /* `delay`: the next one, in the second pass */
} vef_paraver_strand;

typedef struct vef_paraver_writing {
    vef_trace *trace;
    const vef_trace_header *header;
    FILE *out;
    uint32_t
        *first_strand; /* per task: the number of its first thread, over all tasks; and the end */
    vef_paraver_strand *strands; /* per thread */
    uint64_t longest_ns;
    vef_map64 pair_of; /* sender << 32 | receiver → place in `pairs` */
    vef_paraver_receives *pairs;
    size_t pair_count, pair_room;
    vef_replay_comms comms;
    vef_names regions, marks; /* their numbers in the file are one more */
    bool called[VEF_CALL_COUNT];

    uint64_t lines;
    uint64_t unmatched, back, one_sided, polls; /* for the notes */
    uint64_t between;                           /* collectives on intercommunicators */
} vef_paraver_writing;

/* A call of a thread at its times. */
typedef struct vef_paraver_moment {
    uint32_t task, thread; /* from 0 */
    uint64_t enter_ns, leave_ns;
    const vef_event *event;
} vef_paraver_moment;

/* Reads the trace once. */
vef_code vef_paraver_survey(vef_paraver_writing *writer, vef_error *error);
void vef_paraver_survey_free(vef_paraver_writing *writer);

/* The receive of a message; NULL: there is none. */
const vef_paraver_receive *vef_paraver_receive_of(const vef_paraver_writing *writer, uint32_t from,
                                                  uint32_t to, uint64_t ordinal);

/* When a call begins and ends, by the end of the one before it in its thread. */
uint64_t vef_paraver_enter_ns(const vef_event *event, uint64_t before_ns);
uint64_t vef_paraver_leave_ns(const vef_event *event, uint64_t enter_ns);

/* The lines of a call: of the time before it, of its begin, of its end. */
void vef_paraver_put_before(vef_paraver_writing *writer, const vef_paraver_moment *moment,
                            uint64_t before_ns);
void vef_paraver_put_begin(vef_paraver_writing *writer, const vef_paraver_moment *moment);
void vef_paraver_put_end(vef_paraver_writing *writer, const vef_paraver_moment *moment);

/* The labels (`.pcf`) and the names of tasks and threads (`.row`). */
void vef_paraver_put_labels(const vef_paraver_writing *writer, FILE *out);
void vef_paraver_put_rows(const vef_paraver_writing *writer, FILE *out);

#endif
