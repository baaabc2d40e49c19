/* The first pass over the events of an archive: what a call must know that the archive states
 * elsewhere.
 *
 * A receive with a request has its communicator where it completes, a non-blocking collective also
 * its operation and sizes. A collective with counts for each rank has their sums only, so the
 * counts follow from the sums of all members:
 *
 *   Gatherv, Scatterv, Allgatherv, Reduce_scatter: exact, each member states its own part, also
 *   with MPI_IN_PLACE (interchange/exchange.h);
 *   Alltoallv, Alltoallw: what a member sends is split in proportion to what the others receive,
 *   rounded down; the bytes that remain (less than one for each pair) fill the members in their
 *   order. So every member's counts have its sums, and the two sides of each pair agree.
 *
 * Memory: for each such collective of a task 64 bytes, and 32 more for those with counts; 16 bytes
 * for each successive receives of one communicator, and during a task 4 bytes for each of its
 * receives. */
#ifndef VEF_INTERCHANGE_OTF2_SURVEY_H
#define VEF_INTERCHANGE_OTF2_SURVEY_H

#include "interchange/otf2/collectives.h"
#include "interchange/otf2/run.h"

/* The end of a collective. */
typedef struct vef_otf2_fact {
    bool known; /* a non-blocking one was completed */
    bool in_place;
    bool persistent; /* started by MPI_Start: in no order with others, so it is left out */
    uint8_t operation;
    uint32_t root;
    uint32_t comm, new_comm; /* places in the run's `comms`, or VEF_NO_COMM */
    vef_exchange_sums sizes;
    uint64_t elements; /* 0: not known */
} vef_otf2_fact;

/* So many successive receives with a request of a task are of this communicator. */
typedef struct vef_otf2_receives {
    uint32_t comm; /* place in `comms`; VEF_NO_COMM: never completed */
    uint64_t count;
} vef_otf2_receives;

typedef struct vef_otf2_facts {
    /* Non-blocking collectives and those with counts, in the order of their calls. */
    vef_otf2_fact *list;
    size_t count, room;
    vef_otf2_receives *receives;
    size_t receive_count, receive_room;
    bool initializes; /* calls MPI_Init */
} vef_otf2_facts;

/* The k-th collective with counts of a communicator, for rank r: place k × size + r. */
typedef struct vef_otf2_vectors {
    vef_exchange_sums *sizes;
    vef_exchange_sums
        *rest; /* of an Alltoallv: what the ranks up to this one do not get in proportion */
    uint8_t *operations; /* of each call */
    uint8_t *places;     /* of each call: vef_exchange_place */
    size_t calls, room, operation_room;
} vef_otf2_vectors;

typedef struct vef_otf2_survey {
    const vef_otf2_run *run;
    vef_otf2_facts *tasks;
    vef_otf2_vectors *vectors;   /* per communicator */
    bool *made;                  /* per communicator: some task has the event of its creation */
    uint64_t started, completed; /* requests of messages */
    uint64_t unstated;           /* of `started`: whose end the tool does not record */
    uint64_t waits;              /* calls that complete requests: MPI_Wait, … */
    uint64_t odd;                /* Alltoallv whose sums differ */
} vef_otf2_survey;

vef_code vef_otf2_survey_read(const vef_otf2_run *run, vef_otf2_survey *survey, vef_error *error);
void vef_otf2_survey_release(vef_otf2_survey *survey);

/* A pass over the events of all tasks. */
vef_code vef_otf2_pass(const vef_otf2_run *run, vef_otf2_taker *taker, void *context,
                       vef_error *error);

/* The end of a collective as a record of the task states it. */
vef_otf2_fact vef_otf2_fact_of(const vef_otf2_run *run, uint32_t task,
                               const vef_otf2_record *record);
/* Turns the sizes of all members of such a call into those without MPI_IN_PLACE. */
vef_exchange_place vef_otf2_without_place(const vef_otf2_run *run, uint8_t operation,
                                          vef_exchange_sums *sizes, uint32_t size);
/* Whether the operation has counts for each rank. */
bool vef_otf2_has_vectors(uint8_t operation);

/* Fills in the vectors of the event, its bytes where the call has own ones, and whether it is in
 * place: its call, root and communicator, a rank's `call`-th one with counts there, are known.
 * `sends` and `receives` have room for the members. */
vef_exchange_place vef_otf2_fill_vectors(const vef_otf2_survey *survey, uint32_t comm, size_t call,
                                         uint32_t rank, vef_event *event, uint64_t *sends,
                                         uint64_t *receives);

#endif
