/* Explanations of replays (`vef replay --explain`): where the time of each task went, by cause;
 * the critical path; the effect of other machines; the busiest links. docs/explain.md is the page
 * for users.
 *
 *   causes       the causes, a row each
 *   messages     the time of a message, by cause
 *   time_record  the events of a replay: the time of every task, by cause
 *   path         the critical path
 *   what_if      other machines, predicted and simulated
 *   hot_links    the busiest links, and the tasks that load them
 *   report       text, tables, documents
 */
#ifndef VEF_REPLAY_EXPLAIN_EXPLAIN_H
#define VEF_REPLAY_EXPLAIN_EXPLAIN_H

#include "replay/explain/hot_links.h"
#include "replay/explain/path.h"
#include "replay/explain/what_if.h"

typedef struct vef_explanation {
    vef_time_record record; /* vef_time_record_listen(&record, &options.listeners) */
    vef_path path;
    vef_hot_links links;
    vef_what_if what_if[VEF_CHANGES];
    uint64_t time_ps; /* of the replay */
    const vef_netmodel *network;
    const vef_trace_header *trace; /* has the names of its call sites */
    bool repeated;                 /* with the results of further replays */
} vef_explanation;

/* Ready for the replay of the trace; neither may move. */
void vef_explanation_begin(vef_explanation *explanation, const vef_trace_header *trace);
/* After the replay, on its network. */
void vef_explanation_finish(vef_explanation *explanation, const vef_netmodel *network,
                            const vef_replay_result *result);

/* What further replays of the trace need, besides the network of the first. */
typedef struct vef_repetition {
    vef_trace *trace;
    const vef_netmodel *network;
    const vef_node *root; /* it was made from */
    const uint32_t *mapping;
    const vef_replay_options *options;
    vef_progress *progress; /* or NULL */
} vef_repetition;

/* Counts what loads the links, and simulates the other machines, with further replays. */
vef_code vef_explanation_repeat(vef_explanation *explanation, const vef_repetition *repetition,
                                vef_error *error);
void vef_explanation_release(vef_explanation *explanation);

#endif
