/* What libotf2 reads from an archive, as records of fixed size.
 *
 * libotf2 (3.0.2) crashes on some damaged archives, and reads others without end. So it runs in a
 * child process, whose memory is limited, and the processor time that it may take without a record;
 * it sends what it reads through a pipe. The parent takes nothing of it on trust. */
#ifndef VEF_INTERCHANGE_OTF2_STREAM_H
#define VEF_INTERCHANGE_OTF2_STREAM_H

#include "common/status.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

typedef enum vef_otf2_type {
    /* Definitions. A text, or a list of numbers of 64 bits, follows a record: `bytes` of it. */
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
    VEF_OTF2_ISEND, /* and e request */
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
    /* The last record: text, why the library failed; none after a whole archive. */
    VEF_OTF2_END,
} vef_otf2_type;

enum { VEF_OTF2_STREAM_ATTRIBUTES = 4 };

typedef struct vef_otf2_record {
    uint16_t type;
    /* Attributes of vef's (names.h): which, by bits, and the values of the first ones. */
    uint16_t attributes;
    uint32_t bytes; /* that follow the record */
    uint64_t location, time;
    uint64_t a, b, c, d, e, f;
    uint64_t values[VEF_OTF2_STREAM_ATTRIBUTES];
} vef_otf2_record;

/* The locations of a task, whose events are read together, in the order of their times. */
typedef struct vef_otf2_locations {
    const uint64_t *references;
    uint32_t count;
} vef_otf2_locations;

/* What the child is to read: the definitions, or the events of these tasks. */
typedef struct vef_otf2_wanted {
    const char *path;                /* of the anchor file */
    const vef_otf2_locations *tasks; /* NULL: the definitions */
    uint32_t count;
    /* The archive's numbers of the attributes; VEF_OTF2_NO_ATTRIBUTE */
    const uint32_t *attributes;
} vef_otf2_wanted;
#define VEF_OTF2_NO_ATTRIBUTE UINT32_MAX

typedef struct vef_otf2_stream {
    const char *path;
    FILE *from;
    pid_t child;
    char *payload; /* of the last record, with a NUL after it */
    size_t payload_room;
} vef_otf2_stream;

/* Starts the child. `wanted` is used only here. */
vef_code vef_otf2_stream_open(vef_otf2_stream *stream, const vef_otf2_wanted *wanted,
                              vef_error *error);
/* The next record; after VEF_OTF2_END there is none. VEF_CORRUPT if the library failed, or ended
 * without that record. */
vef_code vef_otf2_stream_next(vef_otf2_stream *stream, vef_otf2_record *record, vef_error *error);
/* Ends the child, too. May be closed at any time, and twice. */
void vef_otf2_stream_close(vef_otf2_stream *stream);

/* In the child: reads, and writes to `to`; its limits are renewed with the records. */
void vef_otf2_child(const vef_otf2_wanted *wanted, int to);

#endif
