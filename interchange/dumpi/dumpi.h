/* Reading DUMPI, the traces of SST's MPI profiling library (sst-dumpi): one binary file per task,
 * and a text file `.meta` that names them. Format: docs/traceformat.dox of its sources, and the
 * order of the arguments per call in calls.def.
 *
 *   stream.c         a binary file: its index, and its calls one by one
 *   meta.c           the .meta file, the files of the tasks
 *   communicators.c  first pass: the members of each communicator, from the calls of all tasks
 *   datatypes.c      sizes of datatypes
 *   collectives.c    byte counts of collectives
 *   joint.c          if need be, a pass for what files say only together: calls in place,
 *                    messages of receives from any source
 *   read.c           last pass: the events of each task (reading.h, events.c, requests.c) */
#ifndef VEF_INTERCHANGE_DUMPI_DUMPI_H
#define VEF_INTERCHANGE_DUMPI_DUMPI_H

#include "common/status.h"
#include "interchange/import.h"

/* clang-format off */
enum {
#define CALL(name, arguments, kind) VEF_DUMPI_##name,
#include "interchange/dumpi/calls.def"
#undef CALL
    VEF_DUMPI_CALLS, VEF_DUMPI_FUNCTION_ENTER, VEF_DUMPI_FUNCTION_EXIT, VEF_DUMPI_END
};
/* clang-format on */

typedef enum vef_dumpi_kind {
    VEF_DUMPI_NONE, /* counted, or part of the computation */
    VEF_DUMPI_BOUNDARY,
    VEF_DUMPI_TRANSFER,
    VEF_DUMPI_START,
    VEF_DUMPI_COMPLETION,
    VEF_DUMPI_CANCEL,
    VEF_DUMPI_PROBE,
    VEF_DUMPI_COLLECTIVE,
    VEF_DUMPI_COMM,
    VEF_DUMPI_COMM_FREE,
    VEF_DUMPI_INTERCOMM, /* left out */
    VEF_DUMPI_GROUP,
    VEF_DUMPI_TYPE,
    VEF_DUMPI_ONE_SIDED, /* left out */
} vef_dumpi_kind;

/* Handles and ranks with a meaning of their own. */
enum {
    VEF_DUMPI_NULL = 1, /* communicator, request, group */
    VEF_DUMPI_WORLD = 2,
    VEF_DUMPI_SELF = 3,
    VEF_DUMPI_ANY = -1,       /* source or tag; MPICH's MPI_PROC_NULL has the same number */
    VEF_DUMPI_DATATYPES = 28, /* the first datatype of the program */
};

/* A list inside the file. */
typedef struct vef_dumpi_list {
    uint32_t count;
    const uint8_t *items;
} vef_dumpi_list;

typedef struct vef_dumpi_status {
    int32_t bytes, source, tag;
    bool cancelled;
} vef_dumpi_status;

enum { VEF_DUMPI_INTS = 10, VEF_DUMPI_HANDLES = 8, VEF_DUMPI_LISTS = 8 };

/* One call: its arguments by encoding, each in their order. */
typedef struct vef_dumpi_call {
    uint16_t id;
    vef_dumpi_kind kind;
    uint16_t thread;
    uint64_t entered_ns, left_ns; /* wall time; processor time if the file has no other */
    bool has_cpu;                 /* cpu_entered_ns and cpu_left_ns are set */
    uint64_t cpu_entered_ns, cpu_left_ns;
    int32_t ints[VEF_DUMPI_INTS];
    uint16_t handles[VEF_DUMPI_HANDLES];
    vef_dumpi_list lists[VEF_DUMPI_LISTS]; /* a, w, m, u, v */
    vef_dumpi_list statuses;               /* none if the program ignored them */
} vef_dumpi_call;

/* A binary file. */
typedef struct vef_dumpi_stream {
    const char *path;
    uint8_t *data;
    uint64_t bytes, next, end; /* of the file; of the next call; where calls end at the latest */
    uint64_t offset;           /* of the call last read, for messages */
    uint64_t clock_ns;         /* of wall times: the time of 0 */
    unsigned version;          /* 0x000609: 0.6.9 */
    bool indexed;              /* false: cut short, read as far as it goes */
    bool cut;                  /* the end of the file came before that of the calls */
    vef_dumpi_list type_bytes;
    vef_dumpi_list counts; /* per call, then the ignored ones; none without a footer */
    char host[256];
} vef_dumpi_stream;

/* `path` is used until the file is closed. */
vef_code vef_dumpi_open(const char *path, vef_dumpi_stream *stream, vef_error *error);
void vef_dumpi_close(vef_dumpi_stream *stream);

/* `*more` becomes false at the end of the calls, and of a file that was cut short. */
vef_code vef_dumpi_next(vef_dumpi_stream *stream, vef_dumpi_call *call, bool *more,
                        vef_error *error);

const char *vef_dumpi_name(uint16_t id);
int32_t vef_dumpi_int(vef_dumpi_list list, uint32_t index);
uint16_t vef_dumpi_handle(vef_dumpi_list list, uint32_t index);
vef_dumpi_status vef_dumpi_status_of(const vef_dumpi_stream *stream, const vef_dumpi_call *call,
                                     uint32_t index);

/* The source and the tag that a call receives from, one after the other; NULL: it does not. */
const int32_t *vef_dumpi_asked(const vef_dumpi_call *call);
/* The handle that a call of kind COMM or INTERCOMM makes. */
uint16_t vef_dumpi_made(const vef_dumpi_call *call);

/* The files of a run. */
typedef struct vef_dumpi_run {
    uint32_t tasks, found;
    uint64_t started_ns;
    char **paths; /* per task; NULL: no file */
} vef_dumpi_run;

vef_code vef_dumpi_run_read(const char *meta_path, vef_dumpi_run *run, vef_error *error);
void vef_dumpi_run_release(vef_dumpi_run *run);

/* Communicators of all tasks. */
typedef struct vef_dumpi_comm {
    uint32_t size, parent; /* among all communicators */
    uint16_t made_by;      /* vef_call */
    uint32_t *members;     /* world tasks */
    uint32_t dimensions;
    uint32_t *extents;
    uint8_t *periodic;
    uint32_t edge_count;
    int32_t *index, *edges; /* of a graph; NULL */
} vef_dumpi_comm;

enum { VEF_DUMPI_UNKNOWN = UINT32_MAX };

/* What the first pass finds of a task. */
typedef struct vef_dumpi_task {
    uint32_t *made; /* its creations in their order, by place in vef_dumpi_comms.list;
                       VEF_DUMPI_UNKNOWN: none, or the members are not known */
    bool threaded;  /* several threads called */
    bool wild;      /* receives may have messages that its file does not state */
} vef_dumpi_task;

typedef struct vef_dumpi_comms {
    vef_dumpi_comm *list; /* the world, self of each task, then those that were made */
    size_t count, room;
    vef_dumpi_task *task;
    uint64_t unsettled;  /* creations whose other calls are missing */
    bool joint;          /* some task is wild, or calls Alltoallv or Alltoallw */
    bool processor_time; /* some task has gaps of it */
} vef_dumpi_comms;

/* What each handle of a communicator means when a task begins, as a number of its creations. */
void vef_dumpi_handles_begin(uint32_t *current);
/* Reads every file once. */
vef_code vef_dumpi_comms_find(const vef_dumpi_run *run, vef_dumpi_comms *comms, vef_error *error);
/* The rank of a task that is a member. */
uint32_t vef_dumpi_rank(const vef_dumpi_comm *comm, uint32_t task);
void vef_dumpi_comms_release(vef_dumpi_comms *comms, uint32_t tasks);

/* Sizes of datatypes, by handle. */
typedef struct vef_dumpi_types {
    uint64_t *bytes; /* VEF_DUMPI_NO_SIZE: not known */
    size_t room;
    uint64_t unknown; /* uses of datatypes whose size is not known */
} vef_dumpi_types;
#define VEF_DUMPI_NO_SIZE UINT64_MAX

/* The sizes that the file lists, for those that no call makes. */
void vef_dumpi_types_begin(vef_dumpi_types *types, const vef_dumpi_stream *stream);
/* A call of kind TYPE. */
void vef_dumpi_types_make(vef_dumpi_types *types, const vef_dumpi_call *call);
/* The size of `count` elements; 0 if that is not known. */
uint64_t vef_dumpi_bytes(vef_dumpi_types *types, uint16_t type, int64_t count);
void vef_dumpi_types_release(vef_dumpi_types *types);

/* The counts of a collective (traces/FORMAT.md). */
typedef struct vef_dumpi_vectors {
    uint64_t *sends, *receives;
    size_t send_room, receive_room;
} vef_dumpi_vectors;

/* The communicator's handle of a call of kind COLLECTIVE. */
uint16_t vef_dumpi_collective_comm(const vef_dumpi_call *call);
/* `rank` and `size` are the task's in the communicator. Fills in root, bytes, elements and vectors;
 * these belong to `vectors`. */
vef_code vef_dumpi_collective(const vef_dumpi_call *call, uint32_t rank, uint32_t size,
                              vef_dumpi_types *types, vef_dumpi_vectors *vectors, vef_event *event,
                              vef_error *error);

#endif
