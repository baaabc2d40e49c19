/* Writing an OTF2 archive: shared by write.c (the archive and its folder), definitions.c and
 * events.c (the events of a task). */
#ifndef VEF_INTERCHANGE_OTF2_WRITE_H
#define VEF_INTERCHANGE_OTF2_WRITE_H

#include "interchange/format.h"
#include "interchange/names.h"
#include "interchange/otf2/archive.h"
#include "replay/comms.h"
#include "traces/file/trace.h"

#ifdef VEF_HAVE_OTF2
#include <otf2/otf2.h>

/* The clock of an archive begins with this number: of times that are 0 libotf2 (3.0.2) reads chunks
 * of events without end, or leaves some out. */
enum { VEF_OTF2_FIRST_NS = 1 };

/* What a region of the archive is. */
typedef enum vef_otf2_sort {
    VEF_OTF2_CALL,    /* an MPI call */
    VEF_OTF2_OUTSIDE, /* time in calls that a trace only counts */
    VEF_OTF2_USER,    /* a region of the program */
    VEF_OTF2_MARK,    /* a mark of the program: entered and left at once */
} vef_otf2_sort;

typedef struct vef_otf2_written_comm {
    OTF2_CommRef reference; /* OTF2_UNDEFINED_COMM: none */
    bool created;           /* the archive has its CommCreate */
} vef_otf2_written_comm;

typedef struct vef_otf2_written_location {
    OTF2_LocationRef reference;
    uint64_t events;
} vef_otf2_written_location;

typedef struct vef_otf2_writer {
    vef_trace *trace;
    const vef_trace_header *header;
    OTF2_Archive *archive;
    OTF2_AttributeList *attributes;
    char problem[VEF_OTF2_PROBLEM_BYTES];

    vef_names regions;                           /* of kind vef_otf2_sort, by OTF2_RegionRef */
    OTF2_RegionRef call_regions[VEF_CALL_COUNT]; /* 1 + that of the call; 0: none yet */

    vef_otf2_written_comm *comms; /* of the trace */
    vef_replay_comms ranks;       /* of their members */

    vef_otf2_written_location *locations; /* of all tasks, in their order */
    size_t location_count, location_room;

    uint64_t last_ns, events;
    /* Numbers for the notes. */
    uint64_t probes, one_sided, neighbours, unmatched, partitioned, generalised, vectors, alone,
        open_ended;
} vef_otf2_writer;

/* VEF_IO with the library's message. */
static inline vef_code vef_otf2_failed(vef_otf2_writer *export, const char *what,
                                       vef_error *error) {
    return vef_fail(error, VEF_IO, "libotf2: %s: %s", what,
                    export->problem[0] ? export->problem : "failed");
}

/* The rank of a task in a communicator of the trace; of an intercommunicator in its group.
 * VEF_CORRUPT if it is not a member. */
vef_code vef_otf2_rank_of(vef_otf2_writer *export, uint32_t comm, uint32_t task, uint32_t *rank,
                          vef_error *error);

/* Numbers the communicators, before the events. */
void vef_otf2_number_comms(vef_otf2_writer *export);
/* The definitions, after the events. */
vef_code vef_otf2_define(vef_otf2_writer *export, vef_error *error);

/* The events of a task, a location for each of its threads. */
vef_code vef_otf2_write_task(vef_otf2_writer *export, uint32_t task, vef_error *error);

#endif
#endif
