/* The sets of kinds of calls, and the roles of fields, in the rows of fields.def. */
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

/* What a field means to those who change or compare events (traces/rewrite/rewrite.h). */
typedef enum vef_role {
    VEF_ROLE_PLAIN,   /* a value that refers to nothing: tags, flags, assertions */
    VEF_ROLE_CALL,    /* the call, which has no row */
    VEF_ROLE_NAME,    /* a text */
    VEF_ROLE_NAMED,   /* `argument`: a request if vef_call_names_request, else plain */
    VEF_ROLE_TASK,    /* trace: a world task; log: a rank of the communicator */
    VEF_ROLE_TASKS,   /* a list of them */
    VEF_ROLE_COMM,    /* number of a communicator or window */
    VEF_ROLE_REQUEST, /* number of a request that is started */
    VEF_ROLE_ORDINAL, /* number of a message from its sender to its receiver */
    VEF_ROLE_RANK,    /* a rank of the event's communicator: a root */
    VEF_ROLE_BYTES,
    VEF_ROLE_ELEMENTS,
    VEF_ROLE_PER_RANK,    /* a list of bytes, one entry per rank or neighbour */
    VEF_ROLE_TIME,        /* ns, and `repeats`, of which they are the sum */
    VEF_ROLE_TICK,        /* order of the task's threads */
    VEF_ROLE_SITE,        /* number of a call site */
    VEF_ROLE_OPERATIONS,  /* a list, whose fields have roles of their own */
    VEF_ROLE_COMPLETIONS, /* a list of requests that are completed */
    VEF_ROLES,
} vef_role;

#endif
