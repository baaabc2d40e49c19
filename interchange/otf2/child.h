/* The process that reads an archive by libotf2: shared by child.c and child_events.c. */
#ifndef VEF_INTERCHANGE_OTF2_CHILD_H
#define VEF_INTERCHANGE_OTF2_CHILD_H

#include "interchange/otf2/names.h"
#include "interchange/otf2/stream.h"

#include <stdbool.h>

#ifdef VEF_HAVE_OTF2
#include <otf2/otf2.h>

/* The next event of one of a task's locations. */
typedef struct vef_otf2_ahead {
    OTF2_EvtReader *reader;
    bool has;
    vef_otf2_record record;
    bool ticks; /* vef's attribute gives the order of calls: that of the call of `record` */
    uint64_t entered;
} vef_otf2_ahead;

typedef struct vef_otf2_child_state {
    OTF2_Reader *reader;
    int to;
    size_t used;
    bool broken;           /* the parent reads no more */
    vef_otf2_ahead *ahead; /* where callbacks put an event; NULL: they send it */
    uint32_t attributes[VEF_OTF2_ATTRIBUTES];
    char problem[256];
    char buffer[1 << 16];
} vef_otf2_child_state;

/* Sends a record and what follows it; false if the parent reads no more. */
bool vef_otf2_child_put(vef_otf2_child_state *self, const vef_otf2_record *record,
                        const void *payload);

/* All that the reader uses; NULL without memory. */
OTF2_EvtReaderCallbacks *vef_otf2_event_callbacks(void);

#endif
#endif
