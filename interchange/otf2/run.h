/* The tool that wrote an archive, and its definitions: tasks with their locations, regions,
 * communicators. */
#ifndef VEF_INTERCHANGE_OTF2_RUN_H
#define VEF_INTERCHANGE_OTF2_RUN_H

#include "common/containers/map64.h"
#include "interchange/otf2/archive.h"
#include "traces/event.h"

/* ---- the tools that write archives ---- */

/* A row for each, with what its archives have of their own. The reader asks the row, and knows no
 * tool by name. */
typedef struct vef_otf2_tool {
    const char *name;
    /* What an archive of this tool says of itself; NULL: it does not. */
    const char *creator; /* how its creator begins */
    const char *region;  /* a region that every archive of it defines */
    /* Regions that are not of the program; NULL: none. */
    const char *outside;     /* time in calls that a trace only counts */
    const char *end;         /* a task ends, though not with MPI_Finalize */
    const char *computation; /* time between calls */
    /* This region is MPI_Finalize, and the first event of a task MPI_Init: neither is a region of
     * its own. NULL: both are. */
    const char *finalize;
    bool sizes_known;   /* how its sizes of collectives are counted */
    bool without_place; /* sizes are those without MPI_IN_PLACE */
    bool open_ended;    /* requests need not be completed */
    /* Sizes of collectives are those of the arguments of the call (collectives.h). */
    bool arguments;
    /* MPI_Isend, MPI_Irecv and their like have no record of their completion: archives with them
     * are refused. Messages to MPI_PROC_NULL have a record (of a rank from VEF_OTF2_NOWHERE_RANK
     * on), and MPI_Sendrecv has none. */
    bool starts_only;
    /* Communicators have no record of the calls that make and free them. */
    bool comms_without_calls;
} vef_otf2_tool;

/* Ranks from here on are negative numbers of MPI: MPI_PROC_NULL is -1 in MPICH, -2 in Open MPI. */
#define VEF_OTF2_NOWHERE_RANK (UINT32_MAX - 1)

/* The last row is that of tools that are not known. */
extern const vef_otf2_tool vef_otf2_tools[];

/* ---- the definitions ---- */

typedef enum vef_otf2_meaning {
    VEF_OTF2_IS_COMPUTATION, /* functions, other paradigms, MPI calls that a trace ignores */
    VEF_OTF2_IS_CALL,        /* an MPI call: `call` */
    VEF_OTF2_IS_OUTSIDE,     /* names.h */
    VEF_OTF2_IS_END,
    VEF_OTF2_IS_REGION, /* of the program's own: paradigm USER */
    VEF_OTF2_IS_MARK,
} vef_otf2_meaning;

typedef struct vef_otf2_known_region {
    vef_otf2_meaning meaning;
    uint16_t call; /* 0: the region is no call */
    uint32_t name; /* place in `texts` */
} vef_otf2_known_region;

typedef enum vef_otf2_comm_kind {
    VEF_OTF2_COMM_UNKNOWN, /* intercommunicators, and those whose members are not known */
    VEF_OTF2_COMM_WORLD,
    VEF_OTF2_COMM_SELF,
    VEF_OTF2_COMM_OTHER,
} vef_otf2_comm_kind;

typedef struct vef_otf2_comm {
    vef_otf2_comm_kind kind;
    uint32_t parent; /* place in `comms`, VEF_NO_COMM */
    uint32_t size;
    const uint32_t *members; /* tasks; of MPI_COMM_SELF NULL */
    vef_map64 ranks;         /* of the tasks; empty for the world */
} vef_otf2_comm;

typedef struct vef_otf2_run {
    const char *path;
    char *creator;
    const vef_otf2_tool *tool;               /* that wrote it */
    uint64_t resolution, offset, started_ns; /* ticks per second; 0: not known */
    char **texts;
    size_t text_count, text_room;
    vef_map64 text_of;                        /* reference → place */
    uint32_t attributes[VEF_OTF2_ATTRIBUTES]; /* the archive's numbers */
    vef_otf2_known_region *regions;
    size_t region_count, region_room;
    vef_map64 region_of; /* reference → place */
    vef_otf2_comm *comms;
    size_t comm_count, comm_room;
    vef_map64 comm_of;
    vef_otf2_task *tasks;
    uint32_t task_count;
} vef_otf2_run;

/* Reads the definitions. VEF_INVALID without MPI tasks. To be released in any case. */
vef_code vef_otf2_run_read(const char *path, vef_otf2_run *run, vef_error *error);
void vef_otf2_run_release(vef_otf2_run *run);

/* Computation if it is not defined. */
const vef_otf2_known_region *vef_otf2_run_region(const vef_otf2_run *run, uint64_t reference);
/* Place in `comms`, or VEF_NO_COMM. */
uint32_t vef_otf2_run_comm(const vef_otf2_run *run, uint64_t reference);
/* The rank of a task; false if it is not a member. */
bool vef_otf2_run_rank(const vef_otf2_comm *comm, uint32_t task, uint32_t *rank);
/* A time of the archive in ns. */
uint64_t vef_otf2_run_ns(const vef_otf2_run *run, uint64_t time);

#endif
