/* Writing the trace of graphs (dag.h): messages are matched by rank and tag, in the order of the
 * nodes; then each task's threads (chains.c) are written as MPI calls.
 *
 * A message is an Isend or Irecv, and a wait for its end a Wait; if several wait, all but one use
 * Request_get_status, which leaves the request active. A collective is a non-blocking call and a
 * Wait, or a blocking call (vef_dag_source.blocking_collectives). A calc is the gap before the
 * thread's next call, or, with marks, before a mark `calc N` if that is another calc; N is its
 * number among the nodes of the rank. With marks, a mark `cpu N` or `cpu N nic M` begins each
 * thread of a task that has several. Generalised requests that begin and complete there signal its
 * end, and the start of anything, to other threads. The order of calls of different threads is not
 * known: their `entered` and `left` are all 0, so that none is ordered after another by ticks. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/dag/dag.h"
#include "traces/file/writer.h"
#include "traces/log/log.h"
#include "traces/matching/match.h"

#include <stdio.h>
#include <stdlib.h>

/* A receive from any rank, or with any tag. */
typedef struct wildcard {
    uint32_t received; /* in the matcher */
    uint32_t rank;
    int64_t peer, tag;
} wildcard;

typedef struct reading {
    vef_matcher matcher;
    bool matching;  /* the first pass */
    int64_t *spare; /* per envelope: messages minus receives that name it */
    size_t spare_capacity;
    wildcard *wildcards;
    size_t wildcard_count, wildcard_capacity;
    uint32_t ranks;

    vef_writer *writer;
    vef_dag_plan plan;
    size_t sent, received; /* in the matcher, the next ones */
    struct settled {
        uint64_t ordinal, bytes, end_request, start_request;
        int32_t peer, tag;
        bool blocking;
    } * settled; /* per node of the rank */
    size_t settled_capacity;
    vef_completion *completions;
    size_t completion_capacity;

    uint32_t task, thread;
    uint64_t events, gap_ns; /* of the thread under way */
    bool ordered;            /* the task has one thread */
    const vef_dag_source *source;
    vef_dag_summary *found;
} reading;

static bool is_calc(const vef_dag_rank *rank, uint32_t node) {
    return rank->nodes[node].kind == VEF_DAG_CALC;
}
static bool is_message(const vef_dag_rank *rank, uint32_t node) {
    return rank->nodes[node].kind == VEF_DAG_SEND || rank->nodes[node].kind == VEF_DAG_RECEIVE;
}

/* ---- matching ---- */

static vef_code envelope_of(reading *reader, uint32_t from, uint32_t to, int64_t tag,
                            uint32_t *envelope, vef_error *error) {
    vef_code code = vef_matcher_envelope(&reader->matcher, from, to, 0, (int32_t)(uint32_t)tag, 0,
                                         envelope, error);
    if (code || *envelope < reader->spare_capacity)
        return code;
    vef_grow_zeroed(&reader->spare, &reader->spare_capacity, *envelope + 1ull,
                    sizeof *reader->spare);
    return VEF_OK;
}

static vef_code add_wildcard(reading *reader, uint32_t rank, const vef_dag_node *node,
                             vef_error *error) {
    *VEF_NEW_ITEM(reader->wildcards, reader->wildcard_count, reader->wildcard_capacity) =
        (wildcard){(uint32_t)reader->matcher.received_count, rank, node->peer, node->tag};
    return vef_matcher_received(&reader->matcher, VEF_NO_INDEX, VEF_UNKNOWN_BYTES, 0, error);
}

static vef_code collect(reading *reader, const vef_dag_rank *rank, vef_error *error) {
    size_t first = reader->matcher.sent_count;
    vef_code code = VEF_OK;
    if (rank->rank == 0)
        vef_matcher_init(&reader->matcher, rank->ranks);
    reader->ranks = rank->ranks;
    for (size_t i = 0; i < rank->node_count && !code; i++) {
        const vef_dag_node *node = &rank->nodes[i];
        uint32_t envelope = 0, peer = (uint32_t)node->peer;
        bool send = node->kind == VEF_DAG_SEND;
        if (!is_message(rank, (uint32_t)i))
            continue;
        if (node->peer == VEF_DAG_ANY || node->tag == VEF_DAG_ANY) {
            code = add_wildcard(reader, rank->rank, node, error);
            continue;
        }
        code = envelope_of(reader, send ? rank->rank : peer, send ? peer : rank->rank, node->tag,
                           &envelope, error);
        if (code)
            break;
        reader->spare[envelope] += send ? 1 : -1;
        code = send ? vef_matcher_sent(&reader->matcher, envelope, node->size, 0, error)
                    : vef_matcher_received(&reader->matcher, envelope, VEF_UNKNOWN_BYTES, 0, error);
    }
    return code ? code : vef_matcher_settle(&reader->matcher, first, error);
}

static bool may_take(const reading *reader, const wildcard *receive, uint32_t envelope) {
    const vef_envelope *from = &reader->matcher.envelopes[envelope];
    return reader->spare[envelope] > 0 &&
           (receive->peer == VEF_DAG_ANY || from->sender == (uint32_t)receive->peer) &&
           (receive->tag == VEF_DAG_ANY || from->tag == (int32_t)(uint32_t)receive->tag);
}

/* Wildcards receive the messages that remain: of the first envelope that was named. */
static void settle_wildcards(reading *reader) {
    const vef_matcher *matcher = &reader->matcher;
    size_t count = matcher->envelope_count;
    if (reader->wildcard_count == 0)
        return;
    size_t *first = vef_calloc(reader->ranks + 2ull, sizeof *first);
    uint32_t *list = vef_malloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        first[matcher->envelopes[i].receiver + 2]++;
    for (uint32_t i = 0; i < reader->ranks; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < count; i++)
        list[first[matcher->envelopes[i].receiver + 1]++] = i;
    for (size_t i = 0; i < reader->wildcard_count; i++) {
        const wildcard *receive = &reader->wildcards[i];
        size_t place = first[receive->rank];
        while (place < first[receive->rank + 1] && !may_take(reader, receive, list[place]))
            place++;
        if (place == first[receive->rank + 1])
            continue;
        reader->spare[list[place]]--;
        vef_matcher_set_received(&reader->matcher, receive->received, list[place],
                                 VEF_UNKNOWN_BYTES);
    }
    free(first);
    free(list);
}

/* ---- events ---- */

static vef_code put(reading *reader, vef_event *event, vef_error *error) {
    event->thread = reader->thread;
    event->gap_ns = reader->gap_ns;
    event->repeats = 1;
    event->new_comm = VEF_NO_COMM;
    if (reader->ordered) {
        event->entered = 2 * reader->events;
        event->left = event->entered + 1;
    }
    reader->gap_ns = 0;
    reader->events++;
    return vef_writer_event(reader->writer, reader->task, event, error);
}

static vef_code put_local(reading *reader, uint16_t call, int64_t argument, vef_error *error) {
    vef_event event = {.call = call, .root = -1, .argument = argument};
    return put(reader, &event, error);
}

/* Signals to other threads that this point has been reached. */
static vef_code put_token(reading *reader, uint64_t request, vef_error *error) {
    vef_operation operation = {.flags = VEF_OP_GENERALISED,
                               .peer = VEF_NO_TASK,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = request};
    vef_event event = {.call = VEF_CALL_Grequest_start,
                       .root = -1,
                       .operation_count = 1,
                       .operations = &operation};
    vef_code code = put(reader, &event, error);
    return code ? code : put_local(reader, VEF_CALL_Grequest_complete, (int64_t)request, error);
}

static vef_code put_message(reading *reader, const vef_dag_node *node,
                            const struct settled *outcome, vef_error *error) {
    bool send = node->kind == VEF_DAG_SEND, lost = outcome->ordinal == VEF_NO_ORDINAL;
    vef_operation operation = {
        .flags = (uint16_t)((send ? VEF_OP_SEND : 0) | (lost ? VEF_OP_UNMATCHED : 0) |
                            (node->peer == VEF_DAG_ANY ? VEF_OP_ANY_SOURCE : 0) |
                            (node->tag == VEF_DAG_ANY ? VEF_OP_ANY_TAG : 0)),
        .peer = outcome->peer,
        .tag = outcome->tag,
        .bytes = send ? node->size : outcome->bytes,
        .ordinal = outcome->ordinal,
        .request = outcome->blocking ? VEF_NO_REQUEST : outcome->end_request};
    uint16_t call = send ? (outcome->blocking ? VEF_CALL_Send : VEF_CALL_Isend)
                         : (outcome->blocking ? VEF_CALL_Recv : VEF_CALL_Irecv);
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = &operation};
    return put(reader, &event, error);
}

static vef_code put_collective(reading *reader, const vef_dag_node *node,
                               const struct settled *outcome, vef_error *error) {
    vef_event event = {.call = outcome->blocking ? node->call : vef_call_started(node->call),
                       .comm = node->comm,
                       .root = node->root,
                       .bytes = node->size,
                       .elements = node->elements,
                       .request = outcome->blocking ? VEF_NO_REQUEST : outcome->end_request};
    if (reader->source->vectors)
        reader->source->vectors(reader->source->context, node, &event);
    return put(reader, &event, error);
}

static vef_code put_mark(reading *reader, const char *name, vef_error *error) {
    vef_event event = {.call = VEF_CALL_Mark, .root = -1, .name = name};
    return put(reader, &event, error);
}

/* The waits from action `index` on, in one call if possible; advances `*index` behind them. */
static vef_code put_waits(reading *reader, uint32_t *index, vef_error *error) {
    const vef_dag_plan *plan = &reader->plan;
    size_t alone = 0;
    vef_code code = VEF_OK;
    while (!code && *index != UINT32_MAX && plan->actions[*index].kind == VEF_DAG_WAIT) {
        const vef_dag_action *action = &plan->actions[*index];
        const vef_dag_place *place = &plan->places[action->node];
        const struct settled *outcome = &reader->settled[action->node];
        uint32_t others = action->start ? place->start_waits : place->end_waits;
        vef_completion one = {.request =
                                  action->start ? outcome->start_request : outcome->end_request,
                              .source = VEF_NO_TASK};
        *index = action->next;
        if (others > 1) {
            vef_event event = {.call = VEF_CALL_Request_get_status,
                               .root = -1,
                               .completion_count = 1,
                               .completions = &one};
            code = put(reader, &event, error);
            continue;
        }
        *VEF_NEW_ITEM(reader->completions, alone, reader->completion_capacity) = one;
    }
    if (code || alone == 0)
        return code;
    vef_event event = {.call = alone > 1 ? VEF_CALL_Waitall : VEF_CALL_Wait,
                       .root = -1,
                       .completion_count = (uint32_t)alone,
                       .completions = reader->completions};
    return put(reader, &event, error);
}

/* Which processor and interface the thread shares with others of the task
 * (replay/engine/processor.c). */
static vef_code put_processor(reading *reader, const vef_dag_thread *thread, vef_error *error) {
    char name[32];
    if (thread->nic)
        snprintf(name, sizeof name, "cpu %u nic %u", thread->cpu, thread->nic);
    else
        snprintf(name, sizeof name, "cpu %u", thread->cpu);
    return put_mark(reader, name, error);
}

/* Whether a calc needs a mark: it takes no time or is followed by another one, from which nothing
 * else would divide it, or calcs of other threads may become ready at the same time. */
static bool needs_mark(const vef_dag_plan *plan, const vef_dag_rank *rank,
                       const vef_dag_action *action) {
    return plan->thread_count > 1 || rank->nodes[action->node].size == 0 ||
           (action->next != UINT32_MAX && plan->actions[action->next].kind == VEF_DAG_COMPUTE);
}

static vef_code put_calc(reading *reader, uint32_t node, vef_error *error) {
    char name[32];
    snprintf(name, sizeof name, reader->ordered ? "calc" : "calc %u", node);
    return put_mark(reader, name, error);
}

static vef_code put_thread(reading *reader, const vef_dag_rank *rank, uint32_t number,
                           vef_error *error) {
    const vef_dag_plan *plan = &reader->plan;
    reader->thread = number;
    reader->events = reader->gap_ns = 0;
    vef_code code = number == 0 ? put_local(reader, VEF_CALL_Init, 0, error) : VEF_OK;
    if (!code && reader->source->marks &&
        (plan->thread_count > 1 || plan->threads[0].cpu || plan->threads[0].nic))
        code = put_processor(reader, &plan->threads[number], error);
    for (uint32_t index = plan->threads[number].first; !code && index != UINT32_MAX;) {
        const vef_dag_action *action = &plan->actions[index];
        const vef_dag_node *node = &rank->nodes[action->node];
        const struct settled *outcome = &reader->settled[action->node];
        if (action->kind == VEF_DAG_WAIT) {
            code = put_waits(reader, &index, error);
            continue;
        }
        index = action->next;
        if (action->kind == VEF_DAG_STARTED) {
            if (reader->source->marks &&
                outcome->start_request == VEF_NO_REQUEST) /* else a token was put */
                code = put_mark(reader, "started", error);
            continue;
        }
        if (action->kind == VEF_DAG_COMPUTE) {
            /* The cpu is busy until the calc's end: nothing on it starts before. */
            const bool abroad = plan->places[action->node].starts_abroad;
            if (outcome->start_request != VEF_NO_REQUEST && abroad)
                code = put_token(reader, outcome->start_request, error);
            reader->gap_ns += node->size;
            if (!code && reader->source->marks && needs_mark(plan, rank, action))
                code = put_calc(reader, action->node, error);
            if (!code && outcome->start_request != VEF_NO_REQUEST && !abroad)
                code = put_token(reader, outcome->start_request, error);
            if (!code && outcome->end_request != VEF_NO_REQUEST)
                code = put_token(reader, outcome->end_request, error);
            continue;
        }
        code = node->kind == VEF_DAG_COLLECTIVE ? put_collective(reader, node, outcome, error)
                                                : put_message(reader, node, outcome, error);
        if (outcome->blocking)
            index = plan->actions[index].next;
        if (!code && outcome->start_request != VEF_NO_REQUEST)
            code = put_token(reader, outcome->start_request, error);
    }
    if (!code && number == 0)
        return put_local(reader, VEF_CALL_Finalize, 0, error);
    if (code || reader->gap_ns == 0)
        return code;
    return put_mark(reader, "end", error);
}

/* The message of each receive of the rank, in the order of the first pass. */
static void settle_messages(reading *reader, const vef_dag_rank *rank) {
    vef_grow(&reader->settled, &reader->settled_capacity, rank->node_count,
             sizeof *reader->settled);
    for (size_t i = 0; i < rank->node_count; i++) {
        struct settled *outcome = &reader->settled[i];
        *outcome = (struct settled){.ordinal = VEF_NO_ORDINAL,
                                    .end_request = VEF_NO_REQUEST,
                                    .start_request = VEF_NO_REQUEST,
                                    .peer = (int32_t)rank->nodes[i].peer,
                                    .tag = (int32_t)(uint32_t)rank->nodes[i].tag};
        if (rank->nodes[i].kind == VEF_DAG_SEND) {
            const vef_sent *sent = &reader->matcher.sent[reader->sent++];
            bool taken = vef_sent_flags(sent) & VEF_SENT_RECEIVED;
            outcome->ordinal = taken ? sent->ordinal : VEF_NO_ORDINAL;
            reader->found->unmatched_sends += !taken;
        } else if (rank->nodes[i].kind == VEF_DAG_RECEIVE) {
            uint32_t index = (uint32_t)reader->received++;
            uint32_t message = vef_matcher_take(&reader->matcher, index);
            reader->found->unmatched_receives += message == VEF_NO_INDEX;
            if (message == VEF_NO_INDEX)
                continue;
            const vef_envelope *envelope =
                &reader->matcher.envelopes[reader->matcher.received[index].envelope];
            outcome->peer = (int32_t)envelope->sender;
            outcome->tag = envelope->tag;
            outcome->ordinal = reader->matcher.sent[message].ordinal;
            outcome->bytes = vef_sent_bytes(&reader->matcher, message);
            reader->found->unequal +=
                rank->nodes[i].size != VEF_DAG_UNKNOWN && rank->nodes[i].size != outcome->bytes;
        }
    }
}

static void number_by_line(reading *reader, const vef_dag_rank *rank) {
    uint64_t next = 0;
    for (uint32_t node = 0; node < rank->node_count; node++) {
        const vef_dag_place *place = &reader->plan.places[node];
        if (!is_calc(rank, node) || place->end_waits > 0)
            reader->settled[node].end_request = next++;
        if (place->start_waits > 0)
            reader->settled[node].start_request = next++;
    }
}

static bool may_block(const reading *reader, const vef_dag_node *node) {
    return node->kind == VEF_DAG_COLLECTIVE ? reader->source->blocking_collectives
                                            : node->kind != VEF_DAG_CALC;
}

/* Numbers requests, and finds messages for which their thread waits at once: blocking calls. In a
 * task of several threads the numbers follow the order of the file, by which jobs are ordered that
 * become ready at once (replay/engine/processor.c). */
static void number_requests(reading *reader, const vef_dag_rank *rank) {
    const vef_dag_plan *plan = &reader->plan;
    uint64_t next = 0;
    if (plan->thread_count > 1) {
        number_by_line(reader, rank);
        return;
    }
    for (uint32_t index = plan->threads[0].first; index != UINT32_MAX;) {
        const vef_dag_action *action = &plan->actions[index];
        const vef_dag_place *place = &plan->places[action->node];
        struct settled *outcome = &reader->settled[action->node];
        index = action->next;
        if (action->kind == VEF_DAG_WAIT || action->kind == VEF_DAG_STARTED)
            continue;
        const vef_dag_action *then = index == UINT32_MAX ? NULL : &plan->actions[index];
        bool calc = is_calc(rank, action->node);
        outcome->blocking = may_block(reader, &rank->nodes[action->node]) && then &&
                            then->kind == VEF_DAG_WAIT && then->node == action->node &&
                            !then->start && place->end_waits == 1 && place->start_waits == 0;
        if (calc && place->start_waits > 0)
            outcome->start_request = next++;
        if (!outcome->blocking && (!calc || place->end_waits > 0))
            outcome->end_request = next++;
        if (!calc && place->start_waits > 0)
            outcome->start_request = next++;
    }
}

/* ---- the order of collectives ---- */

/* Per node, its place among the posts of its thread. */
static void find_positions(const vef_dag_plan *plan, uint32_t *position) {
    for (size_t number = 0; number < plan->thread_count; number++) {
        uint32_t next = 0;
        for (uint32_t i = plan->threads[number].first; i != UINT32_MAX; i = plan->actions[i].next)
            if (plan->actions[i].kind == VEF_DAG_POST)
                position[plan->actions[i].node] = next++;
    }
}

/* Adds a dependency between collectives of a communicator that follow each other, but not in one
 * thread; whether there was such a pair. `last`: per communicator; `joined`: per node, that it has
 * got one. */
static bool order_pairs(const reading *reader, vef_dag_rank *rank, uint32_t *last,
                        const uint32_t *position, bool *joined) {
    const vef_dag_place *places = reader->plan.places;
    bool added = false;
    for (uint32_t i = 0; i <= reader->source->communicator_count; i++)
        last[i] = UINT32_MAX;
    for (uint32_t node = 0; node < rank->node_count; node++) {
        if (rank->nodes[node].kind != VEF_DAG_COLLECTIVE)
            continue;
        const uint32_t before = last[rank->nodes[node].comm];
        last[rank->nodes[node].comm] = node;
        if (before == UINT32_MAX || joined[node] ||
            (places[before].thread == places[node].thread && position[before] < position[node]))
            continue;
        joined[node] = added = true;
        vef_dag_add_edge(rank, (vef_dag_edge){node, before, true});
    }
    return added;
}

/* Plans until all collectives are in order: without further dependencies if their threads see to
 * it. */
static vef_code plan_in_order(reading *reader, vef_dag_rank *rank, vef_error *error) {
    bool more = true;
    uint32_t *last = vef_malloc((reader->source->communicator_count + 1ull) * sizeof *last);
    uint32_t *position = vef_calloc(rank->node_count + 1, sizeof *position);
    bool *joined = vef_calloc(rank->node_count + 1, sizeof *joined);
    vef_code code = VEF_OK;
    while (more && (code = vef_dag_plan_make(rank, &reader->plan, error)) == VEF_OK) {
        find_positions(&reader->plan, position);
        more = order_pairs(reader, rank, last, position, joined);
    }
    free(last);
    free(position);
    free(joined);
    return code;
}

static vef_code write_rank(reading *reader, vef_dag_rank *rank, vef_error *error) {
    vef_code code = plan_in_order(reader, rank, error);
    if (code)
        return code;
    settle_messages(reader, rank);
    number_requests(reader, rank);
    reader->task = rank->rank;
    reader->ordered = reader->plan.thread_count == 1;
    if (reader->plan.thread_count > VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_INVALID,
                        "rank %u has %zu branches at once: a task may have at most %d threads",
                        rank->rank, reader->plan.thread_count, VEF_THREAD_LIMIT);
    if (reader->plan.thread_count > reader->found->most_threads)
        reader->found->most_threads = (uint32_t)reader->plan.thread_count;
    for (uint32_t i = 0; i < reader->plan.thread_count && !code; i++)
        code = put_thread(reader, rank, i, error);
    return code ? code : vef_writer_end_task(reader->writer, rank->rank, VEF_LOG_FINALIZED, error);
}

static vef_code visit(void *to, vef_dag_rank *rank, vef_error *error) {
    reading *reader = to;
    return reader->matching ? collect(reader, rank, error) : write_rank(reader, rank, error);
}

/* The communicators of the trace: the world, then those of the source. */
static vef_communicator *all_communicators(const reading *reader, uint32_t *members) {
    const vef_dag_source *source = reader->source;
    vef_communicator *communicators =
        vef_malloc((source->communicator_count + 1ull) * sizeof *communicators);
    for (uint32_t i = 0; i < reader->ranks; i++)
        members[i] = i;
    communicators[0] = (vef_communicator){.parent = VEF_NO_COMM,
                                          .made_by = VEF_PREDEFINED,
                                          .size = reader->ranks,
                                          .members = members};
    for (uint32_t i = 0; i < source->communicator_count; i++)
        communicators[i + 1] = source->communicators[i];
    return communicators;
}

static vef_code write_trace(reading *reader, const char *trace_path, vef_error *error) {
    const vef_dag_source *source = reader->source;
    uint32_t *members = vef_malloc(reader->ranks * sizeof *members);
    vef_communicator *communicators = all_communicators(reader, members);
    const vef_trace_header header = {.tasks = reader->ranks,
                                     .application = source->application,
                                     .clock = "wall",
                                     .times = "compute",
                                     .communicator_count = source->communicator_count + 1,
                                     .communicators = communicators};
    vef_code code = vef_writer_open(trace_path, &header, &reader->writer, error);
    if (!code)
        code = source->ranks(source->context, visit, reader, error);
    if (code)
        vef_writer_discard(reader->writer);
    else
        code = vef_writer_finish(reader->writer, error);
    free(communicators);
    free(members);
    return code;
}

vef_code vef_dag_write(const vef_dag_source *source, const char *trace_path, vef_dag_summary *found,
                       vef_error *error) {
    *found = (vef_dag_summary){0};
    reading reader = {.matching = true,
                      .source = source,
                      .found = found,
                      .plan = {.posts_are_instant = !source->marks}};
    vef_code code = source->ranks(source->context, visit, &reader, error);
    if (!code) {
        settle_wildcards(&reader);
        vef_matcher_link(&reader.matcher);
        reader.matching = false;
        found->wildcards = reader.wildcard_count;
        code = write_trace(&reader, trace_path, error);
    }
    vef_dag_plan_release(&reader.plan);
    vef_matcher_free(&reader.matcher);
    free(reader.spare);
    free(reader.wildcards);
    free(reader.settled);
    free(reader.completions);
    return code;
}

void vef_dag_note(const vef_dag_summary *found, vef_notes *notes) {
    const vef_note_count list[] = {
        {found->unmatched_sends, "sends have no receive"},
        {found->unmatched_receives, "receives have no send and complete at once"},
        {found->unequal, "receives have another size than their send, whose size counts"}};
    vef_note_counts(notes, list, sizeof list / sizeof *list);
}
