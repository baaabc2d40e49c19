/* The second pass over the events of an archive, which states the calls of each task to import.h.
 * Shared by read.c (tasks, regions), frames.c (a call, from its Enter to its Leave) and
 * communications.c (the events that its records make). */
#ifndef VEF_INTERCHANGE_OTF2_READING_H
#define VEF_INTERCHANGE_OTF2_READING_H

#include "interchange/import.h"
#include "interchange/otf2/survey.h"

/* A region that a thread is in. */
typedef struct vef_otf2_open {
    uint64_t reference;
    const vef_otf2_known_region *known;
    uint64_t entered_ns;
    bool stated; /* a region of the program whose beginning is an event */
} vef_otf2_open;

/* The MPI call that a thread is in: what its records say so far. */
typedef struct vef_otf2_frame {
    bool open;
    size_t depth; /* number of regions that the thread was in at its entry */
    uint16_t call;
    uint64_t entered_ns, left_ns;
    uint64_t entered, left; /* ticks; `left` 0: not known */
    uint64_t argument;
    vef_operation *operations;
    size_t operation_count, operation_room;
    vef_completion *completions;
    size_t completion_count, completion_room;
    uint64_t last_request; /* of the archive, of the last completion */
    bool ended;            /* a collective: `fact` */
    vef_otf2_fact fact;
    uint32_t made;         /* the communicator that it makes or frees, or VEF_NO_COMM */
    uint64_t *collectives; /* requests of collectives that it starts */
    size_t collective_count, collective_room;
} vef_otf2_frame;

typedef struct vef_otf2_thread {
    uint64_t location;
    bool begun;      /* has an event */
    uint32_t number; /* of the trace */
    bool seen;
    uint64_t last_ns;            /* end of what was stated or left out */
    uint64_t gap_ns, outside_ns; /* before the next event */
    uint64_t last_tick;
    vef_otf2_open *open;
    size_t open_count, open_room;
    vef_otf2_frame frame;
} vef_otf2_thread;

typedef struct vef_otf2_reading {
    vef_import *import;
    const vef_otf2_run *run;
    vef_otf2_survey *survey;

    uint32_t task;
    bool initialized, finalized;
    vef_otf2_thread *threads; /* one per location */
    size_t thread_room;
    uint32_t thread_count, numbered;
    uint32_t *numbers;    /* per communicator of the run: that of the import, VEF_NO_COMM */
    uint64_t requests;    /* started so far */
    vef_map64 request_of; /* of the archive → of the trace */
    uint64_t *nulls;      /* requests that transfer nothing and are not completed yet */
    size_t null_count, null_room;
    size_t facts;                    /* facts of the survey that are used up */
    size_t receives;                 /* runs of receives of the survey that are used up */
    uint64_t receives_of_run;        /* receives of the present run that are used up */
    vef_map64 calls;                 /* communicator → its calls with counts so far */
    uint64_t *sends, *receives_each; /* counts of a collective */
    size_t send_room, receive_room;
    vef_exchange_sums alone; /* the sums of a collective on MPI_COMM_SELF */
    uint64_t base_ns;        /* of ticks */

    /* Numbers for the notes. */
    uint64_t left_out_comm, one_sided, neighbours, probes, named, inspected, generalised,
        unknown_requests, unfinished, odd, maybe_in_place, persistent, exchanges, backwards,
        unrecorded, comm_calls, scattered;
} vef_otf2_reading;

/* The number of a communicator of the run for the task; VEF_NO_COMM: it has none. */
static inline uint32_t vef_otf2_number_of(const vef_otf2_reading *reader, uint32_t comm) {
    return comm == VEF_NO_COMM ? VEF_NO_COMM : reader->numbers[comm];
}

/* ---- frames.c ---- */

void vef_otf2_frame_begin(vef_otf2_thread *thread, uint16_t call, uint64_t entered_ns);
/* Adds a record to the frame. */
vef_code vef_otf2_frame_take(vef_otf2_reading *reader, vef_otf2_thread *thread,
                             const vef_otf2_record *record, vef_error *error);
/* The call that a record implies outside of any. */
uint16_t vef_otf2_implied_call(const vef_otf2_record *record);

/* ---- communications.c ---- */

/* The time up to an event that is stated, or left out: computation. */
void vef_otf2_pass_time(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t to_ns);
/* Introduces a communicator of the run to the task. `parent` is a number of the import;
 * VEF_NO_COMM: the world. */
vef_code vef_otf2_state_comm(vef_otf2_reading *reader, uint32_t comm, uint32_t parent,
                             uint16_t made_by, vef_error *error);
/* States the beginning or end of a region of the program, or a mark. */
vef_code vef_otf2_put_region(vef_otf2_reading *reader, vef_otf2_thread *thread, uint16_t call,
                             const vef_otf2_known_region *region, uint64_t at_ns, vef_error *error);
/* States the call of the frame, and closes it. */
vef_code vef_otf2_frame_end(vef_otf2_reading *reader, vef_otf2_thread *thread, uint64_t left_ns,
                            vef_error *error);

#endif
