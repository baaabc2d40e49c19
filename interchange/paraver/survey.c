/* The first pass of writing a Paraver trace: where the clocks of threads begin, the receives of
 * messages, the names of regions and marks. See writing.h. */
#include "common/grow.h"
#include "common/memory.h"
#include "interchange/paraver/writing.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- receives ---- */

/* A receive under way. */
typedef struct waiting {
    uint32_t from;
    uint64_t ordinal;
    vef_paraver_receive receive;
} waiting;

typedef struct walk {
    vef_paraver_writing *self;
    uint32_t task;
    vef_selector selector;
    vef_map64 place_of; /* request → place in `list` */
    waiting *list;
    size_t count, room;
} walk;

static void put_receive(vef_paraver_writing *self, uint32_t to, const waiting *received) {
    const uint64_t key = (uint64_t)received->from << 32 | to;
    const uint64_t *known = vef_map64_get(&self->pair_of, key);
    const size_t place = known ? *known : self->pair_count;
    vef_grow(&self->pairs, &self->pair_room, place + 1, sizeof *self->pairs);
    if (!known) {
        vef_map64_set(&self->pair_of, key, place);
        self->pairs[self->pair_count++] = (vef_paraver_receives){0};
    }
    vef_paraver_receives *pair = &self->pairs[place];
    const size_t former = pair->room;
    vef_grow(&pair->list, &pair->room, received->ordinal + 1, sizeof *pair->list);
    memset(pair->list + former, 0, (pair->room - former) * sizeof *pair->list);
    pair->list[received->ordinal] = received->receive;
}

const vef_paraver_receive *vef_paraver_receive_of(const vef_paraver_writing *self, uint32_t from,
                                                  uint32_t to, uint64_t ordinal) {
    const uint64_t *place = vef_map64_get(&self->pair_of, (uint64_t)from << 32 | to);
    const vef_paraver_receives *pair = place ? &self->pairs[*place] : NULL;
    return pair && ordinal < pair->room && pair->list[ordinal].known ? &pair->list[ordinal] : NULL;
}

static void begin_receive(walk *at, const vef_operation *operation, waiting received) {
    const bool later =
        operation->request != VEF_NO_REQUEST && !(operation->flags & VEF_OP_OPEN_ENDED);
    if (!later) {
        put_receive(at->self, at->task, &received);
        return;
    }
    vef_grow(&at->list, &at->room, at->count + 1, sizeof *at->list);
    vef_map64_set(&at->place_of, operation->request, at->count);
    at->list[at->count++] = received;
}

static bool has_message(const vef_operation *operation) {
    return !(operation->flags & (VEF_OP_CANCELLED | VEF_OP_UNMATCHED | VEF_OP_GENERALISED)) &&
           operation->peer != VEF_NO_TASK && operation->ordinal != VEF_NO_ORDINAL;
}

static void take_messages(walk *at, const vef_event *event, uint64_t enter_ns, uint64_t leave_ns) {
    const bool transfers = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
    const bool persistent = event->call == VEF_CALL_Start || event->call == VEF_CALL_Startall;
    uint64_t place;
    for (uint32_t i = 0; transfers && i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->flags & VEF_OP_SEND || !has_message(operation))
            continue;
        const bool blocks = operation->request == VEF_NO_REQUEST;
        begin_receive(at, operation,
                      (waiting){.from = (uint32_t)operation->peer,
                                .ordinal = operation->ordinal,
                                .receive = {.begin_ns = blocks || persistent ? enter_ns : leave_ns,
                                            .end_ns = leave_ns,
                                            .thread = event->thread,
                                            .known = true}});
    }
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (vef_map64_take(&at->place_of, event->completions[i].request, &place)) {
            at->list[place].receive.end_ns = leave_ns;
            put_receive(at->self, at->task, &at->list[place]);
        }
    if (at->place_of.count == 0)
        at->count = 0;
}

/* ---- the pass ---- */

static void add_delay(vef_paraver_strand *strand, uint64_t ns) {
    vef_grow(&strand->delays, &strand->delay_room, strand->delay_count + 1, sizeof *strand->delays);
    strand->delays[strand->delay_count++] = (vef_paraver_delay){strand->calls, ns};
}

static void take_event(walk *at, const vef_event *event) {
    vef_paraver_writing *self = at->self;
    vef_paraver_strand *strand = &self->strands[self->first_strand[at->task] + event->thread];
    const vef_selector_thread *thread = &at->selector.threads[event->thread];
    const bool first = !thread->seen;
    vef_selector_next(&at->selector, event);
    if (first)
        strand->begin_ns = thread->entered_ns - vef_paraver_enter_ns(event, 0);
    else if (thread->delay_ns > 0)
        add_delay(strand, thread->delay_ns);
    strand->calls++;
    if (self->longest_ns < thread->end_ns)
        self->longest_ns = thread->end_ns;
    self->called[event->call] = true;
    self->strands[self->first_strand[at->task]].finalized = event->call == VEF_CALL_Finalize;
    if (vef_call_kind(event->call) == VEF_KIND_REGION)
        vef_names_add(event->call == VEF_CALL_Mark ? &self->marks : &self->regions, 0,
                      event->name ? event->name : "");
    take_messages(at, event, thread->entered_ns, thread->end_ns);
}

static vef_code read_task(vef_paraver_writing *self, uint32_t task, vef_error *error) {
    static const vef_slice_options everything;
    const uint32_t threads = self->header->task[task].threads;
    walk at = {.self = self, .task = task};
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_selector_begin(&at.selector, &everything, threads);
    vef_code code = vef_task_events_open(self->trace, task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event)
        if (event->thread < threads && event->call < VEF_CALL_COUNT)
            take_event(&at, event);
        else
            code = vef_fail(error, VEF_CORRUPT,
                            "task %" PRIu32 ": thread %" PRIu32
                            " is out of range: the task has %" PRIu32,
                            task, event->thread, threads);
    vef_task_events_close(events);
    vef_selector_end(&at.selector);
    vef_map64_free(&at.place_of);
    free(at.list);
    return code;
}

static void find_ranks(vef_paraver_writing *self) {
    for (uint32_t c = 0; c < self->header->communicator_count; c++) {
        const vef_communicator *comm = &self->header->communicators[c];
        for (uint32_t rank = 0; rank < comm->size; rank++)
            vef_map64_set(&self->rank_of, (uint64_t)c << 32 | comm->members[rank], rank);
    }
}

vef_code vef_paraver_survey(vef_paraver_writing *self, vef_error *error) {
    const uint32_t tasks = self->header->tasks;
    uint32_t strands = 0;
    self->first_strand = vef_calloc(tasks + 1ull, sizeof *self->first_strand);
    for (uint32_t task = 0; task < tasks; task++) {
        self->first_strand[task] = strands;
        strands += self->header->task[task].threads;
        self->first_strand[task + 1] = strands;
    }
    self->strands = vef_calloc(strands + 1ull, sizeof *self->strands);
    find_ranks(self);
    vef_code code = VEF_OK;
    for (uint32_t task = 0; !code && task < tasks; task++)
        code = read_task(self, task, error);
    for (uint32_t i = 0; !code && i < strands; i++)
        self->strands[i].calls = 0;
    return code;
}

void vef_paraver_survey_free(vef_paraver_writing *self) {
    for (size_t i = 0; i < self->pair_count; i++)
        free(self->pairs[i].list);
    free(self->pairs);
    for (uint32_t i = 0; self->strands && i < self->first_strand[self->header->tasks]; i++)
        free(self->strands[i].delays);
    free(self->first_strand);
    free(self->strands);
    vef_map64_free(&self->pair_of);
    vef_map64_free(&self->rank_of);
    vef_names_free(&self->regions);
    vef_names_free(&self->marks);
}
