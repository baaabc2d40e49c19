/* The MPI call that a thread of a task is in, or was in when it was killed, and what it waits for.
 * Tasks that ended normally have none. */
#ifndef VEF_TRACES_FORMAT_UNDER_WAY_H
#define VEF_TRACES_FORMAT_UNDER_WAY_H

#include "common/arena.h"
#include "common/status.h"
#include "traces/event.h"

#include <stdatomic.h>

enum {
    VEF_WAITED_SHOWN = 16,    /* operations that are listed; a call may wait for more */
    VEF_CALL_NAME_BYTES = 40, /* of a call's name, with its end */
    VEF_REGIONS_SHOWN = 8,    /* outermost open regions that are listed */
    VEF_REGION_NAME_BYTES = 48,
    VEF_STACK_SHOWN = 24,       /* innermost places of the stack that are listed */
    VEF_UNDER_WAY_BYTES = 4096, /* upper bound of a line of vef_under_way_put */
};

/* One message, probe or collective that the call waits for. */
typedef struct vef_waited {
    uint16_t call;  /* the call that began it: Irecv, Ibarrier, …; 0: the current call */
    uint16_t flags; /* VEF_OP_SEND */
    uint32_t comm;  /* VEF_NO_COMM: not known */
    int32_t peer;   /* in a log a rank of `comm`, else a world task; VEF_NO_TASK: all of `comm`, or
                       not known; VEF_ANY_SOURCE */
    int32_t tag;    /* with a peer; VEF_ANY_TAG */
    uint64_t bytes; /* 0: not known */
} vef_waited;

/* Times are in ns since the task's MPI_Init. */
typedef struct vef_under_way {
    uint32_t task, thread;
    char call[VEF_CALL_NAME_BYTES]; /* "MPI_Recv"; the latest call, returned or not */
    bool inside;                    /* it has not returned */
    uint64_t since_ns;              /* time of its entry, or of its return */
    uint64_t seen_ns;      /* time of the last poll in it, or of the snapshot; 0: not known */
    uint32_t waited_count; /* number of operations that it waits for, including unlisted ones */
    vef_waited waited[VEF_WAITED_SHOWN];
    uint32_t region_count; /* number of open regions, including unlisted ones */
    char region[VEF_REGIONS_SHOWN][VEF_REGION_NAME_BYTES]; /* outermost first; truncated to fit */
    uint32_t stack_count;            /* 0: not known; 1: the site of the call alone */
    uint32_t stack[VEF_STACK_SHOWN]; /* numbers of sites: that of the call, then of its callers */
} vef_under_way;

/* Where a thread of the task publishes its current call: a few plain stores per call, in memory
 * shared with a file (shared_buffer.h). The turn is odd while the rest changes. Times are ticks of
 * the recorder's clock; the slot also has their conversion to ns. */
typedef struct vef_slot {
    _Atomic uint32_t turn;
    bool inside;
    char call[VEF_CALL_NAME_BYTES];
    uint64_t entered, left, seen; /* ticks */
    uint64_t origin, scale;       /* the tick of MPI_Init; ns per tick, times 2^32 */
    uint32_t waited_count;
    vef_waited waited[VEF_WAITED_SHOWN];
    uint32_t region_count;
    char region[VEF_REGIONS_SHOWN][VEF_REGION_NAME_BYTES];
    uint32_t stack_count, stack[VEF_STACK_SHOWN]; /* as in vef_under_way; of the call only */
} vef_slot;

/* The number of its listed operations and regions. */
static inline uint32_t vef_waited_shown(const vef_under_way *record) {
    return record->waited_count < VEF_WAITED_SHOWN ? record->waited_count : VEF_WAITED_SHOWN;
}
static inline uint32_t vef_regions_shown(const vef_under_way *record) {
    return record->region_count < VEF_REGIONS_SHOWN ? record->region_count : VEF_REGIONS_SHOWN;
}

/* The record as a line of words, without the line end, as in traces and their text form
 * (FORMAT.md): "3.0 MPI_Wait inside since=8000 recv,from=1,tag=7,comm=0,by=Irecv
 * region=\"solver\"". */
void vef_under_way_put(const vef_under_way *record, char line[VEF_UNDER_WAY_BYTES]);

/* Reads such a line, which ends at `end`. VEF_CORRUPT names the wrong word. `arena` is for
 * temporary memory. */
vef_code vef_under_way_get(const char *line, const char *end, vef_arena *arena,
                           vef_under_way *record, vef_error *error);

#endif
