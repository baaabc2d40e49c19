/* The calls of an archive, for restore.h: what the first pass keeps of archives that state the
 * start of requests only. */
#ifndef VEF_INTERCHANGE_OTF2_HISTORY_H
#define VEF_INTERCHANGE_OTF2_HISTORY_H

#include "interchange/otf2/restore/restore.h"
#include "interchange/otf2/run.h"

/* The MPI call that a location is in. */
typedef struct vef_otf2_inside {
    uint64_t location, region, entered_ns;
    uint16_t call;
    bool open;
} vef_otf2_inside;

typedef struct vef_otf2_history {
    const vef_otf2_run *run;
    vef_otf2_restore *to;
    uint32_t task;
    vef_otf2_inside *places; /* of the task's locations */
    size_t place_count, place_room;
} vef_otf2_history;

/* The next records are of this task. */
void vef_otf2_history_task(vef_otf2_history *self, uint32_t task);
void vef_otf2_history_take(vef_otf2_history *self, const vef_otf2_record *record);
void vef_otf2_history_release(vef_otf2_history *self);

/* Whether such an archive does not state what becomes of the requests of the call. Those of
 * MPI_Start it does. */
bool vef_otf2_is_unstated(const vef_otf2_tool *tool, uint16_t call);
/* Whether the call is one of vef_otf2_restored.ends. */
bool vef_otf2_restores_at(uint16_t call);

#endif
