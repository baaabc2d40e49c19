/* The lines of a Paraver trace, plain or compressed with gzip, and its header. */
#ifndef VEF_INTERCHANGE_PARAVER_LINES_H
#define VEF_INTERCHANGE_PARAVER_LINES_H

#include "common/containers/map64.h"
#include "common/status.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct vef_paraver_lines {
    const char *path;
    void *file; /* gzFile */
    char *line; /* without its end, which is a NUL */
    size_t room;
    uint64_t number;  /* of the line, from 1 */
    bool ended;       /* with a line feed; false: the file may have been cut there */
    const char *next; /* the next field */
} vef_paraver_lines;

/* `path` is used until the file is closed. */
vef_code vef_paraver_lines_open(vef_paraver_lines *lines, const char *path, vef_error *error);
void vef_paraver_lines_close(vef_paraver_lines *lines);

/* `*more` becomes false at the end of the file; VEF_CORRUPT if its compression is damaged. */
vef_code vef_paraver_lines_next(vef_paraver_lines *lines, bool *more, vef_error *error);

/* The next field of the line, a number, and `end` behind it ('\0': the end of the line). False:
 * there is none. */
bool vef_paraver_field(vef_paraver_lines *lines, char end, uint64_t *value);

/* VEF_CORRUPT with file and line. */
vef_code vef_paraver_lines_fail(const vef_paraver_lines *lines, vef_error *error,
                                const char *expected);

typedef struct vef_paraver_comm {
    uint32_t size;
    uint32_t *members; /* tasks, from 0 */
} vef_paraver_comm;

/* What the header states. */
typedef struct vef_paraver_header {
    uint64_t unit_ns; /* of times */
    uint32_t tasks;
    uint32_t *threads, *nodes; /* per task: their number; its node, from 1, or 0 */
    bool *ended;               /* per task: ends without MPI_Finalize, and is not cut short */
    vef_paraver_comm *comms;
    size_t comm_count, comm_room;
    vef_map64 comm_of;           /* number in the file → place in `comms` */
    vef_map64 rank_of;           /* place << 32 | task → rank */
    size_t world;                /* place of the first communicator of all tasks; SIZE_MAX */
    uint64_t intercommunicators; /* left out */
} vef_paraver_header;

enum { VEF_PARAVER_MOST_TASKS = 1 << 24 };

/* Reads the first line. */
vef_code vef_paraver_header_read(vef_paraver_lines *lines, vef_paraver_header *header,
                                 vef_error *error);
/* Reads a line `c:` or `i:`. */
vef_code vef_paraver_comm_read(vef_paraver_lines *lines, vef_paraver_header *header,
                               vef_error *error);
void vef_paraver_header_free(vef_paraver_header *header);

#endif
