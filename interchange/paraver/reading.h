/* Reading a Paraver trace: the state shared by read.c (the file) and task.c (the calls of a task).
 */
#ifndef VEF_INTERCHANGE_PARAVER_READING_H
#define VEF_INTERCHANGE_PARAVER_READING_H

#include "interchange/import.h"
#include "interchange/paraver/calls_of_task.h"
#include "interchange/paraver/joint.h"
#include "interchange/paraver/labels.h"
#include "interchange/paraver/lines.h"
#include "interchange/spool.h"

/* The messages from one task to another. */
typedef struct vef_paraver_pair {
    uint32_t messages;
    bool overtakes; /* some message is received before an earlier one with its tag */
} vef_paraver_pair;

typedef struct vef_paraver_reading {
    vef_paraver_header header;
    vef_paraver_labels labels;
    vef_paraver_joint joint;
    vef_spool *spool; /* of vef_paraver_record */
    vef_import *import;

    vef_map64 pair_of; /* sender << 32 | receiver → place in `pairs` */
    vef_paraver_pair *pairs;
    size_t pair_count, pair_room;
    vef_map64 last_of; /* pair << 32 | tag → time of the receive of the last message */

    /* Numbers for the notes. */
    uint64_t one_sided, communicators, neighbourhoods, probes, locals; /* calls left out */
    uint64_t disagreeing; /* collectives left out: their members' records do not agree */
    uint64_t alone;       /* sends and receives without a message */
    uint64_t stray;       /* messages without a call at one of their ends */
    uint64_t guessed;     /* requests of sends, and of non-blocking collectives */
    uint64_t renumbered;  /* messages whose tag is their number */
    uint64_t backwards;   /* calls that begin before the one before them has ended */
} vef_paraver_reading;

/* The pair, made if there is none. */
vef_paraver_pair *vef_paraver_pair_open(vef_paraver_reading *reader, uint32_t from, uint32_t to);

/* Notes the collectives of a task in `joint`. */
vef_code vef_paraver_task_meetings(vef_paraver_reading *reader, uint32_t task, vef_error *error);
/* Gives the calls of a task to the import. */
vef_code vef_paraver_task(vef_paraver_reading *reader, uint32_t task, vef_error *error);

#endif
