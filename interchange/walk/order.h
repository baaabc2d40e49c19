/* The order in which non-blocking collectives progress, for formats that describe a task as one
 * sequence of actions.
 *
 * Such a format places each step of a collective between two calls of its task, and a wrong place
 * deadlocks: if a task starts a later step only where it waits for the collective, other tasks, for
 * which it may be waiting, wait for that step. So the trace is replayed, and each step is written
 * where its task was when it started there. That order cannot deadlock: of all blocked waits, take
 * the one that ended first in the replay; both sides of its message started earlier in the replay,
 * and also do in the written program.
 *
 * The format may also have an action for a whole blocking collective. Strictly, no task ends that
 * action before all tasks have begun it, whereas in the replay the root of a Bcast leaves early. A
 * deadlock then needs a chain of events that leads, forward in the replay, from a task that has
 * left the collective to one that has yet to enter it. (A cycle through several such collectives
 * contains one through the first alone: a task that has left a later one has left the first.) A
 * correct program makes no such chain by its own calls, since a collective may synchronise. So the
 * chain contains messages of non-blocking collectives, for which a task waits where the replay
 * takes the next step, possibly earlier than in the program. The task that starts the first of them
 * has left the blocking collective: otherwise the program would make the chain up to there by its
 * own calls. A blocking collective with such a start in the replay is written as messages, to which
 * the argument above applies.
 *
 * The replay uses an ideal network on which each message costs its sender 1 us. The order of the
 * written program is that of a possible execution on any network; on a much slower one a task
 * may wait for a step where it would have continued. */
#ifndef VEF_INTERCHANGE_WALK_ORDER_H
#define VEF_INTERCHANGE_WALK_ORDER_H

#include "common/containers/map64.h"
#include "interchange/format.h"

/* Before the thread waits in `event`, it starts the steps before `until` of the plan of its
 * `collective`. In a blocking collective: after it started `own_steps` steps of that one's plan. */
typedef struct vef_order_entry {
    uint64_t event, collective; /* events of the thread, from 0 */
    uint32_t until, own_steps;
} vef_order_entry;

typedef struct vef_order_list {
    vef_order_entry *entries; /* `event`, then `own_steps`, never falls */
    size_t count, capacity;
} vef_order_list;

/* The progress of tasks, in the replay, through the blocking collectives of a communicator of
 * all tasks. Places are those of `vef_order_interrupts` plus 1; 0: none. */
typedef struct vef_order_passage {
    uint32_t comm;
    uint64_t *entered, *left; /* per task: the last one */
    uint64_t all_entered;     /* the least of `entered` */
    uint32_t at_least;        /* tasks whose `entered` is all_entered */
    uint64_t marked; /* places up to here that a task has not entered are in `interrupted` */
} vef_order_passage;

typedef struct vef_order {
    vef_order_list *lists; /* of task 0's threads, then of task 1's, … */
    size_t *first;         /* per task: the list of its thread 0; one more at the end */
    uint32_t tasks;
    const vef_trace_header *header;
    vef_order_passage *passages; /* of the communicators with blocking collectives so far */
    size_t passage_count;
    vef_map64 interrupted;         /* see vef_order_interrupts */
    char stall[VEF_MESSAGE_BYTES]; /* why the replay ended early; "" when it did not */
} vef_order; /* zero-initialised is that of a trace without non-blocking collectives */

/* Replays the trace if it has non-blocking collectives. The caller releases the order, also
 * after an error. */
vef_code vef_order_find(vef_trace *trace, const vef_format_options *options, vef_order *order,
                        vef_error *error);
void vef_order_release(vef_order *order);

/* NULL when there is none. */
const vef_order_list *vef_order_of(const vef_order *order, uint32_t task, uint32_t thread);

/* Whether some task starts steps of other collectives inside a blocking one, or after leaving it
 * before all tasks have entered it. Then the blocking one must not be written as one action.
 * `place`: of the blocking one in sequence 0 of its communicator (vef_event_sequence). */
bool vef_order_interrupts(const vef_order *order, uint32_t comm, uint64_t place);

#endif
