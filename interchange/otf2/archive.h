/* What libotf2 reads from an archive, as records of one form, and the process in which it does so.
 */
#ifndef VEF_INTERCHANGE_OTF2_ARCHIVE_H
#define VEF_INTERCHANGE_OTF2_ARCHIVE_H

#include "common/status.h"
#include "interchange/otf2/names.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum vef_otf2_type {
    /* Definitions. A text, or a list of numbers of 64 bits, comes with some: `count` of them. */
    VEF_OTF2_DEF_CREATOR,        /* text */
    VEF_OTF2_DEF_CLOCK,          /* a resolution, b offset, c time of the run since the epoch */
    VEF_OTF2_DEF_STRING,         /* a reference; text */
    VEF_OTF2_DEF_ATTRIBUTE,      /* a reference, b name, c type */
    VEF_OTF2_DEF_NODE,           /* a reference, b name, c class */
    VEF_OTF2_DEF_LOCATION_GROUP, /* a reference, b type, c node */
    VEF_OTF2_DEF_LOCATION,       /* a reference, b type, c location group, d number of events */
    VEF_OTF2_DEF_REGION,    /* a reference, b name, c canonical name, d description, e paradigm */
    VEF_OTF2_DEF_GROUP,     /* a reference, b type, c paradigm; list: the members */
    VEF_OTF2_DEF_COMM,      /* a reference, b name, c group, d parent, e flags */
    VEF_OTF2_DEF_INTERCOMM, /* a reference */
    /* Events: `location` and `time`, of the clock of the archive. */
    VEF_OTF2_TASK,  /* a task: its events follow */
    VEF_OTF2_ENTER, /* a region */
    VEF_OTF2_LEAVE,
    VEF_OTF2_SEND,  /* a rank, b communicator, c tag, d bytes */
    VEF_OTF2_ISEND, /* as VEF_OTF2_SEND, and e request */
    VEF_OTF2_RECV,
    VEF_OTF2_IRECV,
    VEF_OTF2_ISEND_COMPLETE, /* e request */
    VEF_OTF2_IRECV_REQUEST,
    VEF_OTF2_CANCELLED,
    VEF_OTF2_COLLECTIVE_BEGIN,
    VEF_OTF2_COLLECTIVE_END,      /* a root, b communicator, c operation, d sent, f received */
    VEF_OTF2_COLLECTIVE_REQUEST,  /* e request */
    VEF_OTF2_COLLECTIVE_COMPLETE, /* both */
    VEF_OTF2_COMM_CREATE,         /* b communicator */
    VEF_OTF2_COMM_DESTROY,
} vef_otf2_type;

typedef struct vef_otf2_record {
    uint16_t type;
    uint16_t attributes; /* those of vef's (names.h) that it has: a bit for each of `values` */
    uint32_t count;      /* bytes of the text, or numbers of the list */
    const void *payload; /* the text or the list */
    uint64_t location, time;
    uint64_t a, b, c, d, e, f;
    uint64_t values[VEF_OTF2_ATTRIBUTES]; /* 0 where it has none */
} vef_otf2_record;

/* The locations of a task, whose events are read together, in the order of their times. */
typedef struct vef_otf2_task {
    const uint64_t *locations;
    uint32_t location_count;
    const char *host; /* NULL: not known */
} vef_otf2_task;

/* Called for each record, which is valid until it returns. An error ends the reading. */
typedef vef_code vef_otf2_taker(void *context, const vef_otf2_record *record, vef_error *error);

/* What is to be read: the definitions, or the events of these tasks, one task after the other. */
typedef struct vef_otf2_wanted {
    const char *path;           /* of the anchor file */
    const vef_otf2_task *tasks; /* NULL: the definitions */
    uint32_t count;
    const uint32_t *attributes; /* the archive's numbers of vef's attributes; NULL: none wanted */
    vef_otf2_taker *take;
    void *context;
} vef_otf2_wanted;
#define VEF_OTF2_NO_ATTRIBUTE UINT32_MAX

/* The first message of the library, which names the cause of a failure, goes to `problem`, instead
 * of messages to stderr. NULL: ends that. */
enum { VEF_OTF2_PROBLEM_BYTES = 256 };
void vef_otf2_keep_problem(char *problem);

/* VEF_CORRUPT if the library fails. Only inside of vef_otf2_isolate. */
vef_code vef_otf2_archive_read(const vef_otf2_wanted *wanted, vef_error *error);

/* Runs `work` in a process of its own, since libotf2 (3.0.2) crashes on some damaged archives, and
 * reads others without end: there the memory is limited, and the processor time from one record to
 * the next. `path`: of the anchor file. Only memory of vef_apart_allocate keeps what `work` writes,
 * and files: it leaves nothing else behind, but those where it did not return. */
vef_code vef_otf2_isolate(const char *path, vef_code (*work)(void *context, vef_error *error),
                          void *context, vef_error *error);
/* In `work`: the time limit begins again, or is lifted, as nothing of the library will be called.
 */
void vef_otf2_renew_time(bool limited);

#endif
