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
#include "common/grow.h"
#include "common/memory.h"
#include "interchange/dag/dag.h"
#include "traces/file/writer.h"
#include "traces/log/log.h"
#include "traces/matching/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    vef_dag_rank ordered_rank; /* the rank with further edges; its nodes are the source's */
    size_t sent, received;     /* in the matcher, the next ones */
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

static vef_code envelope_of(reading *self, uint32_t from, uint32_t to, int64_t tag,
                            uint32_t *envelope, vef_error *error) {
    vef_code code = vef_matcher_envelope(&self->matcher, from, to, 0, (int32_t)(uint32_t)tag, 0,
                                         envelope, error);
    if (code || *envelope < self->spare_capacity)
        return code;
    const size_t former = self->spare_capacity;
    vef_grow(&self->spare, &self->spare_capacity, *envelope + 1ull, sizeof *self->spare);
    memset(self->spare + former, 0, (self->spare_capacity - former) * sizeof *self->spare);
    return VEF_OK;
}

static vef_code add_wildcard(reading *self, uint32_t rank, const vef_dag_node *node,
                             vef_error *error) {
    vef_grow(&self->wildcards, &self->wildcard_capacity, self->wildcard_count + 1,
             sizeof *self->wildcards);
    self->wildcards[self->wildcard_count++] =
        (wildcard){(uint32_t)self->matcher.received_count, rank, node->peer, node->tag};
    return vef_matcher_received(&self->matcher, VEF_NO_INDEX, VEF_UNKNOWN_BYTES, 0, error);
}

static vef_code collect(reading *self, const vef_dag_rank *rank, vef_error *error) {
    size_t first = self->matcher.sent_count;
    vef_code code = VEF_OK;
    if (rank->rank == 0)
        vef_matcher_init(&self->matcher, rank->ranks);
    self->ranks = rank->ranks;
    for (size_t i = 0; i < rank->node_count && !code; i++) {
        const vef_dag_node *node = &rank->nodes[i];
        uint32_t envelope = 0, peer = (uint32_t)node->peer;
        bool send = node->kind == VEF_DAG_SEND;
        if (!is_message(rank, (uint32_t)i))
            continue;
        if (node->peer == VEF_DAG_ANY || node->tag == VEF_DAG_ANY) {
            code = add_wildcard(self, rank->rank, node, error);
            continue;
        }
        code = envelope_of(self, send ? rank->rank : peer, send ? peer : rank->rank, node->tag,
                           &envelope, error);
        if (code)
            break;
        self->spare[envelope] += send ? 1 : -1;
        code = send ? vef_matcher_sent(&self->matcher, envelope, node->size, 0, error)
                    : vef_matcher_received(&self->matcher, envelope, VEF_UNKNOWN_BYTES, 0, error);
    }
    return code ? code : vef_matcher_settle(&self->matcher, first, error);
}

static bool may_take(const reading *self, const wildcard *receive, uint32_t envelope) {
    const vef_envelope *from = &self->matcher.envelopes[envelope];
    return self->spare[envelope] > 0 &&
           (receive->peer == VEF_DAG_ANY || from->sender == (uint32_t)receive->peer) &&
           (receive->tag == VEF_DAG_ANY || from->tag == (int32_t)(uint32_t)receive->tag);
}

/* Wildcards receive the messages that remain: of the first envelope that was named. */
static void settle_wildcards(reading *self) {
    const vef_matcher *matcher = &self->matcher;
    size_t count = matcher->envelope_count;
    if (self->wildcard_count == 0)
        return;
    size_t *first = vef_calloc(self->ranks + 2ull, sizeof *first);
    uint32_t *list = vef_malloc((count + 1) * sizeof *list);
    for (size_t i = 0; i < count; i++)
        first[matcher->envelopes[i].receiver + 2]++;
    for (uint32_t i = 0; i < self->ranks; i++)
        first[i + 2] += first[i + 1];
    for (uint32_t i = 0; i < count; i++)
        list[first[matcher->envelopes[i].receiver + 1]++] = i;
    for (size_t i = 0; i < self->wildcard_count; i++) {
        const wildcard *receive = &self->wildcards[i];
        size_t at = first[receive->rank];
        while (at < first[receive->rank + 1] && !may_take(self, receive, list[at]))
            at++;
        if (at == first[receive->rank + 1])
            continue;
        self->spare[list[at]]--;
        vef_matcher_set_received(&self->matcher, receive->received, list[at], VEF_UNKNOWN_BYTES);
    }
    free(first);
    free(list);
}

/* ---- events ---- */

static vef_code put(reading *self, vef_event *event, vef_error *error) {
    event->thread = self->thread;
    event->gap_ns = self->gap_ns;
    event->repeats = 1;
    event->new_comm = VEF_NO_COMM;
    if (self->ordered) {
        event->entered = 2 * self->events;
        event->left = event->entered + 1;
    }
    self->gap_ns = 0;
    self->events++;
    return vef_writer_event(self->writer, self->task, event, error);
}

static vef_code put_local(reading *self, uint16_t call, int64_t argument, vef_error *error) {
    vef_event event = {.call = call, .root = -1, .argument = argument};
    return put(self, &event, error);
}

/* Signals to other threads that this point has been reached. */
static vef_code put_token(reading *self, uint64_t request, vef_error *error) {
    vef_operation operation = {.flags = VEF_OP_GENERALISED,
                               .peer = VEF_NO_TASK,
                               .ordinal = VEF_NO_ORDINAL,
                               .request = request};
    vef_event event = {.call = VEF_CALL_Grequest_start,
                       .root = -1,
                       .operation_count = 1,
                       .operations = &operation};
    vef_code code = put(self, &event, error);
    return code ? code : put_local(self, VEF_CALL_Grequest_complete, (int64_t)request, error);
}

static vef_code put_message(reading *self, const vef_dag_node *node, const struct settled *at,
                            vef_error *error) {
    bool send = node->kind == VEF_DAG_SEND, lost = at->ordinal == VEF_NO_ORDINAL;
    vef_operation operation = {
        .flags = (uint16_t)((send ? VEF_OP_SEND : 0) | (lost ? VEF_OP_UNMATCHED : 0) |
                            (node->peer == VEF_DAG_ANY ? VEF_OP_ANY_SOURCE : 0) |
                            (node->tag == VEF_DAG_ANY ? VEF_OP_ANY_TAG : 0)),
        .peer = at->peer,
        .tag = at->tag,
        .bytes = send ? node->size : at->bytes,
        .ordinal = at->ordinal,
        .request = at->blocking ? VEF_NO_REQUEST : at->end_request};
    uint16_t call = send ? (at->blocking ? VEF_CALL_Send : VEF_CALL_Isend)
                         : (at->blocking ? VEF_CALL_Recv : VEF_CALL_Irecv);
    vef_event event = {.call = call, .root = -1, .operation_count = 1, .operations = &operation};
    return put(self, &event, error);
}

/* The non-blocking form of a collective. */
static uint16_t started_form(uint16_t call) {
    for (uint16_t other = 0; other < vef_call_count(); other++)
        if (vef_call_base(other) == call && vef_call_kind(other) == VEF_KIND_COLLECTIVE &&
            vef_call_has(other, VEF_FACT_STARTS))
            return other;
    return call;
}

static vef_code put_collective(reading *self, const vef_dag_node *node, const struct settled *at,
                               vef_error *error) {
    vef_event event = {.call = at->blocking ? node->call : started_form(node->call),
                       .comm = node->comm,
                       .root = node->root,
                       .bytes = node->size,
                       .elements = node->elements,
                       .request = at->blocking ? VEF_NO_REQUEST : at->end_request};
    return put(self, &event, error);
}

static vef_code put_mark(reading *self, const char *name, vef_error *error) {
    vef_event event = {.call = VEF_CALL_Mark, .root = -1, .name = name};
    return put(self, &event, error);
}

/* The waits from action `index` on, in one call if possible; advances `*index` behind them. */
static vef_code put_waits(reading *self, uint32_t *index, vef_error *error) {
    const vef_dag_plan *plan = &self->plan;
    size_t alone = 0;
    vef_code code = VEF_OK;
    while (!code && *index != UINT32_MAX && plan->actions[*index].kind == VEF_DAG_WAIT) {
        const vef_dag_action *action = &plan->actions[*index];
        const vef_dag_place *place = &plan->places[action->node];
        const struct settled *at = &self->settled[action->node];
        uint32_t others = action->start ? place->start_waits : place->end_waits;
        vef_completion one = {.request = action->start ? at->start_request : at->end_request,
                              .source = VEF_NO_TASK};
        *index = action->next;
        if (others > 1) {
            vef_event event = {.call = VEF_CALL_Request_get_status,
                               .root = -1,
                               .completion_count = 1,
                               .completions = &one};
            code = put(self, &event, error);
            continue;
        }
        vef_grow(&self->completions, &self->completion_capacity, alone + 1,
                 sizeof *self->completions);
        self->completions[alone++] = one;
    }
    if (code || alone == 0)
        return code;
    vef_event event = {.call = alone > 1 ? VEF_CALL_Waitall : VEF_CALL_Wait,
                       .root = -1,
                       .completion_count = (uint32_t)alone,
                       .completions = self->completions};
    return put(self, &event, error);
}

/* Which processor and interface the thread shares with others of the task
 * (replay/engine/processor.c). */
static vef_code put_processor(reading *self, const vef_dag_thread *thread, vef_error *error) {
    char name[32];
    if (thread->nic)
        snprintf(name, sizeof name, "cpu %u nic %u", thread->cpu, thread->nic);
    else
        snprintf(name, sizeof name, "cpu %u", thread->cpu);
    return put_mark(self, name, error);
}

/* Whether a calc needs a mark: it takes no time or is followed by another one, from which nothing
 * else would divide it, or calcs of other threads may become ready at the same time. */
static bool needs_mark(const vef_dag_plan *plan, const vef_dag_rank *rank,
                       const vef_dag_action *action) {
    return plan->thread_count > 1 || rank->nodes[action->node].size == 0 ||
           (action->next != UINT32_MAX && plan->actions[action->next].kind == VEF_DAG_COMPUTE);
}

static vef_code put_calc(reading *self, uint32_t node, vef_error *error) {
    char name[32];
    snprintf(name, sizeof name, self->ordered ? "calc" : "calc %u", node);
    return put_mark(self, name, error);
}

static vef_code put_thread(reading *self, const vef_dag_rank *rank, uint32_t number,
                           vef_error *error) {
    const vef_dag_plan *plan = &self->plan;
    self->thread = number;
    self->events = self->gap_ns = 0;
    vef_code code = number == 0 ? put_local(self, VEF_CALL_Init, 0, error) : VEF_OK;
    if (!code && self->source->marks &&
        (plan->thread_count > 1 || plan->threads[0].cpu || plan->threads[0].nic))
        code = put_processor(self, &plan->threads[number], error);
    for (uint32_t index = plan->threads[number].first; !code && index != UINT32_MAX;) {
        const vef_dag_action *action = &plan->actions[index];
        const vef_dag_node *node = &rank->nodes[action->node];
        const struct settled *at = &self->settled[action->node];
        if (action->kind == VEF_DAG_WAIT) {
            code = put_waits(self, &index, error);
            continue;
        }
        index = action->next;
        if (action->kind == VEF_DAG_STARTED) {
            if (self->source->marks &&
                at->start_request == VEF_NO_REQUEST) /* else a token was put */
                code = put_mark(self, "started", error);
            continue;
        }
        if (action->kind == VEF_DAG_COMPUTE) {
            /* The cpu is busy until the calc's end: nothing on it starts before. */
            const bool abroad = plan->places[action->node].starts_abroad;
            if (at->start_request != VEF_NO_REQUEST && abroad)
                code = put_token(self, at->start_request, error);
            self->gap_ns += node->size;
            if (!code && self->source->marks && needs_mark(plan, rank, action))
                code = put_calc(self, action->node, error);
            if (!code && at->start_request != VEF_NO_REQUEST && !abroad)
                code = put_token(self, at->start_request, error);
            if (!code && at->end_request != VEF_NO_REQUEST)
                code = put_token(self, at->end_request, error);
            continue;
        }
        code = node->kind == VEF_DAG_COLLECTIVE ? put_collective(self, node, at, error)
                                                : put_message(self, node, at, error);
        if (at->blocking)
            index = plan->actions[index].next;
        if (!code && at->start_request != VEF_NO_REQUEST)
            code = put_token(self, at->start_request, error);
    }
    if (!code && number == 0)
        return put_local(self, VEF_CALL_Finalize, 0, error);
    if (code || self->gap_ns == 0)
        return code;
    return put_mark(self, "end", error);
}

/* The message of each receive of the rank, in the order of the first pass. */
static void settle_messages(reading *self, const vef_dag_rank *rank) {
    vef_grow(&self->settled, &self->settled_capacity, rank->node_count, sizeof *self->settled);
    for (size_t i = 0; i < rank->node_count; i++) {
        struct settled *at = &self->settled[i];
        *at = (struct settled){.ordinal = VEF_NO_ORDINAL,
                               .end_request = VEF_NO_REQUEST,
                               .start_request = VEF_NO_REQUEST,
                               .peer = (int32_t)rank->nodes[i].peer,
                               .tag = (int32_t)(uint32_t)rank->nodes[i].tag};
        if (rank->nodes[i].kind == VEF_DAG_SEND) {
            const vef_sent *sent = &self->matcher.sent[self->sent++];
            bool taken = vef_sent_flags(sent) & VEF_SENT_RECEIVED;
            at->ordinal = taken ? sent->ordinal : VEF_NO_ORDINAL;
            self->found->unmatched_sends += !taken;
        } else if (rank->nodes[i].kind == VEF_DAG_RECEIVE) {
            uint32_t index = (uint32_t)self->received++;
            uint32_t message = vef_matcher_take(&self->matcher, index);
            self->found->unmatched_receives += message == VEF_NO_INDEX;
            if (message == VEF_NO_INDEX)
                continue;
            const vef_envelope *envelope =
                &self->matcher.envelopes[self->matcher.received[index].envelope];
            at->peer = (int32_t)envelope->sender;
            at->tag = envelope->tag;
            at->ordinal = self->matcher.sent[message].ordinal;
            at->bytes = vef_sent_bytes(&self->matcher, message);
        }
    }
}

static void number_by_line(reading *self, const vef_dag_rank *rank) {
    uint64_t next = 0;
    for (uint32_t node = 0; node < rank->node_count; node++) {
        const vef_dag_place *place = &self->plan.places[node];
        if (!is_calc(rank, node) || place->end_waits > 0)
            self->settled[node].end_request = next++;
        if (place->start_waits > 0)
            self->settled[node].start_request = next++;
    }
}

static bool may_block(const reading *self, const vef_dag_node *node) {
    return node->kind == VEF_DAG_COLLECTIVE ? self->source->blocking_collectives
                                            : node->kind != VEF_DAG_CALC;
}

/* Numbers requests, and finds messages for which their thread waits at once: blocking calls. In a
 * task of several threads the numbers follow the order of the file, by which jobs are ordered that
 * become ready at once (replay/engine/processor.c). */
static void number_requests(reading *self, const vef_dag_rank *rank) {
    const vef_dag_plan *plan = &self->plan;
    uint64_t next = 0;
    if (plan->thread_count > 1) {
        number_by_line(self, rank);
        return;
    }
    for (uint32_t number = 0; number < plan->thread_count; number++)
        for (uint32_t index = plan->threads[number].first; index != UINT32_MAX;) {
            const vef_dag_action *action = &plan->actions[index];
            const vef_dag_place *place = &plan->places[action->node];
            struct settled *at = &self->settled[action->node];
            index = action->next;
            if (action->kind == VEF_DAG_WAIT || action->kind == VEF_DAG_STARTED)
                continue;
            const vef_dag_action *then = index == UINT32_MAX ? NULL : &plan->actions[index];
            bool calc = is_calc(rank, action->node);
            at->blocking = may_block(self, &rank->nodes[action->node]) && then &&
                           then->kind == VEF_DAG_WAIT && then->node == action->node &&
                           !then->start && place->end_waits == 1 && place->start_waits == 0;
            if (calc && place->start_waits > 0)
                at->start_request = next++;
            if (!at->blocking && (!calc || place->end_waits > 0))
                at->end_request = next++;
            if (!calc && place->start_waits > 0)
                at->start_request = next++;
        }
}

/* ---- the order of collectives ---- */

/* Per node, its place among the posts of its thread. */
static void find_positions(const vef_dag_plan *plan, uint32_t *position) {
    for (size_t number = 0; number < plan->thread_count; number++) {
        uint32_t at = 0;
        for (uint32_t i = plan->threads[number].first; i != UINT32_MAX; i = plan->actions[i].next)
            if (plan->actions[i].kind == VEF_DAG_POST)
                position[plan->actions[i].node] = at++;
    }
}

/* Adds a dependency between collectives of a communicator that follow each other, but not in one
 * thread; whether there was such a pair. `last`: per communicator; `joined`: per node, that it has
 * got one. */
static bool order_pairs(reading *self, uint32_t *last, const uint32_t *position, bool *joined) {
    vef_dag_rank *rank = &self->ordered_rank;
    const vef_dag_place *places = self->plan.places;
    bool added = false;
    for (uint32_t i = 0; i <= self->source->communicator_count; i++)
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
static vef_code plan_in_order(reading *self, const vef_dag_rank *from, vef_error *error) {
    vef_dag_rank *rank = &self->ordered_rank;
    bool more = from->node_count > 0;
    rank->rank = from->rank;
    rank->ranks = from->ranks;
    rank->nodes = from->nodes;
    rank->node_count = from->node_count;
    rank->edge_count = 0;
    for (size_t i = 0; i < from->edge_count; i++)
        vef_dag_add_edge(rank, from->edges[i]);
    uint32_t *last = vef_malloc((self->source->communicator_count + 1ull) * sizeof *last);
    uint32_t *position = vef_calloc(from->node_count + 1, sizeof *position);
    bool *joined = vef_calloc(from->node_count + 1, sizeof *joined);
    vef_code code = vef_dag_plan_make(rank, &self->plan, error);
    while (!code && more) {
        find_positions(&self->plan, position);
        more = order_pairs(self, last, position, joined);
        if (more)
            code = vef_dag_plan_make(rank, &self->plan, error);
    }
    free(last);
    free(position);
    free(joined);
    return code;
}

static bool has_collectives(const vef_dag_rank *rank) {
    for (size_t i = 0; i < rank->node_count; i++)
        if (rank->nodes[i].kind == VEF_DAG_COLLECTIVE)
            return true;
    return false;
}

static vef_code write_rank(reading *self, const vef_dag_rank *rank, vef_error *error) {
    vef_code code = has_collectives(rank) ? plan_in_order(self, rank, error)
                                          : vef_dag_plan_make(rank, &self->plan, error);
    if (code)
        return code;
    settle_messages(self, rank);
    number_requests(self, rank);
    self->task = rank->rank;
    self->ordered = self->plan.thread_count == 1;
    if (self->plan.thread_count > VEF_THREAD_LIMIT)
        return vef_fail(error, VEF_INVALID,
                        "rank %u has %zu branches at once: a task may have at most %d threads",
                        rank->rank, self->plan.thread_count, VEF_THREAD_LIMIT);
    if (self->plan.thread_count > self->found->most_threads)
        self->found->most_threads = (uint32_t)self->plan.thread_count;
    for (uint32_t i = 0; i < self->plan.thread_count && !code; i++)
        code = put_thread(self, rank, i, error);
    return code ? code : vef_writer_end_task(self->writer, rank->rank, VEF_LOG_FINALIZED, error);
}

static vef_code visit(void *to, const vef_dag_rank *rank, vef_error *error) {
    reading *self = to;
    return self->matching ? collect(self, rank, error) : write_rank(self, rank, error);
}

/* The communicators of the trace: the world, then those of the source. */
static vef_communicator *all_communicators(const reading *self, uint32_t *members) {
    const vef_dag_source *source = self->source;
    vef_communicator *all = vef_malloc((source->communicator_count + 1ull) * sizeof *all);
    for (uint32_t i = 0; i < self->ranks; i++)
        members[i] = i;
    all[0] = (vef_communicator){
        .parent = VEF_NO_COMM, .made_by = VEF_PREDEFINED, .size = self->ranks, .members = members};
    for (uint32_t i = 0; i < source->communicator_count; i++)
        all[i + 1] = source->communicators[i];
    return all;
}

static vef_code write_trace(reading *self, const char *trace_path, vef_error *error) {
    const vef_dag_source *source = self->source;
    uint32_t *members = vef_malloc(self->ranks * sizeof *members);
    vef_communicator *all = all_communicators(self, members);
    const vef_trace_header header = {.tasks = self->ranks,
                                     .application = source->application,
                                     .clock = "wall",
                                     .times = "compute",
                                     .communicator_count = source->communicator_count + 1,
                                     .communicators = all};
    vef_code code = vef_writer_open(trace_path, &header, &self->writer, error);
    if (!code)
        code = source->ranks(source->self, visit, self, error);
    if (code)
        vef_writer_discard(self->writer);
    else
        code = vef_writer_finish(self->writer, error);
    free(all);
    free(members);
    return code;
}

vef_code vef_dag_write(const vef_dag_source *source, const char *trace_path, vef_dag_summary *found,
                       vef_error *error) {
    *found = (vef_dag_summary){0};
    reading self = {.matching = true,
                    .source = source,
                    .found = found,
                    .plan = {.posts_are_instant = !source->marks}};
    vef_code code = source->ranks(source->self, visit, &self, error);
    if (!code) {
        settle_wildcards(&self);
        vef_matcher_link(&self.matcher);
        self.matching = false;
        found->wildcards = self.wildcard_count;
        code = write_trace(&self, trace_path, error);
    }
    vef_dag_plan_release(&self.plan);
    free(self.ordered_rank.edges);
    vef_matcher_free(&self.matcher);
    free(self.spare);
    free(self.wildcards);
    free(self.settled);
    free(self.completions);
    return code;
}

void vef_dag_note(const vef_dag_summary *found, vef_notes *notes) {
    const vef_note_count list[] = {
        {found->unmatched_sends, "sends have no receive"},
        {found->unmatched_receives, "receives have no send and complete at once"}};
    vef_note_counts(notes, list, sizeof list / sizeof *list);
}
