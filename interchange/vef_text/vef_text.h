/* The text form of the original VEF framework's traces (Andújar et al., "VEF Traces:
 * A Framework for Modelling MPI Traffic in Interconnection Network Simulators", IEEE Cluster 2015),
 * as its library TraceLIB documents it (TraceManager.h, of which the simulator taz quotes the
 * description: github.com/CARV-ICS-FORTH/taz, src/simulate/parsers/VEFParser.hpp):
 *
 *   VEF<any> tasks messages communicators global_collectives local_collectives TRUE|FALSE
 *   C<i> task task …                                    a communicator; C0 is the world
 *   ID src dst bytes Dep time IDdep                     a message, in the line of its sender
 *   G<ID> communicator operation task send_bytes receive_bytes Dep time IDdep
 *                                                       a collective, a line for each task
 *
 * A collective counts once as global, and once for each task as local. The last word is TRUE if
 * messages depend on sends alone. A line begins `time` ns after the event that it depends on.
 * docs/interchange.md states what vef assumes where the description is silent.
 *
 * write.c passes on a trace as operations of tasks, which go to a spool, and lines.c runs them on a
 * network without delays, to choose the one dependency of each line. parse.c reads lines, sound.c
 * checks that they belong together, and read.c makes a trace of them. */
#ifndef VEF_INTERCHANGE_VEF_TEXT_VEF_TEXT_H
#define VEF_INTERCHANGE_VEF_TEXT_VEF_TEXT_H

#include "common/status.h"
#include "interchange/format.h"
#include "interchange/spool.h"

#include <stdbool.h>
#include <stdint.h>

/* What a line depends on. */
typedef enum vef_line_dep {
    VEF_LINE_INDEPENDENT, /* the start of the task; IDdep is -1 */
    VEF_LINE_SEND,        /* a message of this task: its send is complete */
    VEF_LINE_RECEIVE,     /* a message to this task: it has arrived */
    VEF_LINE_COLLECTIVE,  /* a collective, G<IDdep>: this task has completed its part */
} vef_line_dep;

/* What a task's send_bytes or receive_bytes is. A part is what the task contributes or gets. */
typedef enum vef_line_share {
    VEF_LINE_NOTHING, /* 0 */
    VEF_LINE_PART,    /* its part */
    VEF_LINE_SUM,     /* the parts of all */
    VEF_LINE_ROOT,    /* its part, of the root alone */
    VEF_LINE_ROOT_SUM,
    VEF_LINE_OTHERS, /* its part, of all but the root */
} vef_line_share;

/* An operation; its code is its place in the table. */
typedef struct vef_line_operation {
    uint16_t call;  /* blocking, where the parts of all tasks are equal */
    uint16_t parts; /* with different parts; `call` if there is no such call */
    vef_line_share sends, receives;
} vef_line_operation;

enum { VEF_LINE_ALLTOALL = 7, VEF_LINE_OPERATIONS };
extern const vef_line_operation vef_line_operations[VEF_LINE_OPERATIONS];

/* ---- writing ---- */

typedef enum vef_item_kind {
    VEF_ITEM_COMPUTE, /* a: ns */
    VEF_ITEM_SEND,    /* a: task, b: tag, c: bytes; the messages of a task are numbered from 0 */
    VEF_ITEM_RECEIVE,
    VEF_ITEM_WAIT,       /* a: number of messages, which follow as VEF_ITEM_FOR */
    VEF_ITEM_FOR,        /* a: number of the message */
    VEF_ITEM_COLLECTIVE, /* a: communicator of the trace, b: operation, c: bytes sent, d: received
                          */
    VEF_ITEM_END,
} vef_item_kind;

/* An operation of a task. In the spool: its kind and its numbers (traces/format/varint.h). */
typedef struct vef_item {
    vef_item_kind kind;
    uint64_t a, b, c, d;
} vef_item;

enum { VEF_ITEM_BYTES = 5 * 10 };        /* of an item in the spool, at the most */
extern const uint8_t vef_item_numbers[]; /* how many of a, b, … an item has */

/* What the lines contain, and what they leave out. */
typedef struct vef_lines_summary {
    uint64_t lines;
    uint64_t other_deps;       /* lines because of which the header's last word is FALSE */
    uint64_t receives_dropped; /* receives that were waited for, and on which no line depends */
    uint64_t sends_dropped;    /* sends that were waited for, and on which no line depends */
    uint64_t forced;           /* waits and collectives that never complete */
    uint64_t tails, longest_tail_ns; /* tasks that compute after their last line and message */
} vef_lines_summary;

/* Adds the lines of messages and collectives to `out`, which has one task. `operations`: of the
 * tasks; `header`: of the trace; `numbers`: per communicator of the trace, its number in the file.
 */
vef_code vef_lines_write(vef_spool *out, vef_spool *operations, const vef_trace_header *header,
                         const uint32_t *numbers, vef_lines_summary *summary, vef_error *error);

/* ---- reading ---- */

typedef enum vef_line_kind { VEF_LINE_MESSAGE, VEF_LINE_GROUP } vef_line_kind;

typedef struct vef_line {
    uint64_t id, on; /* `on`: IDdep */
    uint64_t time_ns;
    uint64_t send_bytes, receive_bytes; /* a message has send_bytes */
    uint32_t task, peer;                /* who sends, or calls; the receiver */
    uint32_t comm;
    uint32_t number; /* in the text file */
    uint8_t kind, dep, operation;
} vef_line;

typedef struct vef_lines_group {
    uint32_t size;
    uint32_t *members; /* tasks */
} vef_lines_group;

typedef struct vef_lines {
    const char *path;
    uint32_t tasks;
    uint64_t messages, global, local; /* as the header gives them */
    vef_line *list;                   /* in the order of the file */
    size_t count, capacity;
    vef_lines_group *groups; /* communicators */
    size_t group_count, group_capacity;
} vef_lines;

/* Reads the file. Failures name file and line. */
vef_code vef_lines_parse(const char *path, vef_lines *lines, vef_error *error);
void vef_lines_free(vef_lines *lines);

/* What the lines refer to, by place in `list`. */
typedef struct vef_lines_found {
    uint32_t *on;         /* per line: the line of the message, or of the task's own call of the
                             collective, that it depends on; UINT32_MAX */
    uint32_t *collective; /* per line of a collective: its number, from 0 */
    uint32_t *group_line; /* per collective: its first line */
    int32_t *root;        /* per collective: rank, or -1 */
    uint64_t *bytes;      /* per collective: the largest part of a task */
    size_t *first_part;   /* per collective: its parts in `parts`, by rank */
    uint64_t *parts;
    bool *differ; /* per collective: the parts are not equal, and a call can have such parts */
    uint64_t *begin_ns; /* per line, then per collective: when it begins, or all have begun it, on
                           a network without delays; at most INT64_MAX */
    uint32_t collectives;
    bool in_order;     /* each task is one thread, in the order of the file */
    uint64_t rootless; /* collectives of 0 bytes whose root is taken to be rank 0 */
    uint64_t unequal;  /* lines whose bytes are not what the parts of their collective imply */
} vef_lines_found;

/* Finds dependencies, collectives and their roots, and checks counts, members and order. */
vef_code vef_lines_check(const vef_lines *lines, vef_lines_found *found, vef_error *error);
void vef_lines_found_free(vef_lines_found *found);

#endif
