/* The tools that write OTF2 archives: one row for each, with what its archives have of their own.
 * The reader asks the row, and knows no tool by name. */
#ifndef VEF_INTERCHANGE_OTF2_TOOLS_H
#define VEF_INTERCHANGE_OTF2_TOOLS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
