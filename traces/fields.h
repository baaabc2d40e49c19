/* The sets of kinds of calls in the rows of fields.def. */
#ifndef VEF_TRACES_FIELDS_H
#define VEF_TRACES_FIELDS_H

#include "traces/event.h"

/* KIND(name) for each kind of events that a trace stores. */
#define VEF_HELD_KINDS(KIND)                                                                       \
    KIND(LOCAL)                                                                                    \
    KIND(TRANSFER)                                                                                 \
    KIND(COMPLETE) KIND(PROBE) KIND(COLLECTIVE) KIND(COMM) KIND(ONE_SIDED) KIND(SYNC) KIND(REGION)

enum {
    VEF_IN_LOCAL = 1 << VEF_KIND_LOCAL,
    VEF_IN_COMPLETE = 1 << VEF_KIND_COMPLETE,
    VEF_IN_COLLECTIVE = 1 << VEF_KIND_COLLECTIVE,
    VEF_IN_COMM = 1 << VEF_KIND_COMM,
    VEF_IN_SYNC = 1 << VEF_KIND_SYNC,
    VEF_IN_REGION = 1 << VEF_KIND_REGION,
    VEF_IN_MESSAGES =
        1 << VEF_KIND_TRANSFER | 1 << VEF_KIND_PROBE | 1 << VEF_KIND_ONE_SIDED, /* operations */
    VEF_IN_JOINT = VEF_IN_COLLECTIVE | VEF_IN_COMM,
    VEF_IN_GROUP = VEF_IN_JOINT | VEF_IN_SYNC,
    VEF_IN_EVERY = (1 << VEF_KIND_AS) - 1,
};

#endif
