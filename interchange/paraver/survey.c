/* The first pass of writing a Paraver trace: where the clocks of threads begin, the receives of
 * messages, the names of regions and marks. See writing.h. */
#include "common/containers/grow.h"
#include "common/memory.h"
#include "interchange/paraver/writing.h"
#include "traces/file/task_events.h"
#include "traces/slice/select.h"
#include "traces/stats/stats.h"

#include <stdlib.h>

/* ---- receives ---- */

/* A receive under way. */
typedef struct waiting {
    uint32_t from;
    uint64_t ordinal;
    vef_paraver_receive receive;
} waiting;

typedef struct walk {
    vef_paraver_writing *writer;
    uint32_t task;
    vef_selector selector;
    vef_map64 place_of; /* request → place in `list` */
    waiting *list;
    size_t count, room;
} walk;

static void put_receive(vef_paraver_writing *writer, uint32_t to, const waiting *received) {
    const uint64_t key = (uint64_t)received->from << 32 | to;
    const uint64_t *known = vef_map64_get(&writer->pair_of, key);
    const size_t place = known ? *known : writer->pair_count;
    vef_grow(&writer->pairs, &writer->pair_room, place + 1, sizeof *writer->pairs);
    if (!known) {
        vef_map64_set(&writer->pair_of, key, place);
        writer->pairs[writer->pair_count++] = (vef_paraver_receives){0};
    }
    vef_paraver_receives *pair = &writer->pairs[place];
    vef_grow_zeroed(&pair->list, &pair->room, received->ordinal + 1, sizeof *pair->list);
    pair->list[received->ordinal] = received->receive;
}

const vef_paraver_receive *vef_paraver_receive_of(const vef_paraver_writing *writer, uint32_t from,
                                                  uint32_t to, uint64_t ordinal) {
    const uint64_t *place = vef_map64_get(&writer->pair_of, (uint64_t)from << 32 | to);
    const vef_paraver_receives *pair = place ? &writer->pairs[*place] : NULL;
    return pair && ordinal < pair->room && pair->list[ordinal].known ? &pair->list[ordinal] : NULL;
}

static void begin_receive(walk *walker, const vef_operation *operation, waiting received) {
    const bool later =
        operation->request != VEF_NO_REQUEST && !(operation->flags & VEF_OP_OPEN_ENDED);
    if (!later) {
        put_receive(walker->writer, walker->task, &received);
        return;
    }
    vef_map64_set(&walker->place_of, operation->request, walker->count);
    *VEF_NEW_ITEM(walker->list, walker->count, walker->room) = received;
}

static bool has_message(const vef_operation *operation) {
    return !(operation->flags & (VEF_OP_CANCELLED | VEF_OP_UNMATCHED | VEF_OP_GENERALISED)) &&
           operation->peer != VEF_NO_TASK && operation->ordinal != VEF_NO_ORDINAL;
}

static void take_messages(walk *walker, const vef_event *event, uint64_t enter_ns,
                          uint64_t leave_ns) {
    const bool transfers = vef_call_kind(event->call) == VEF_KIND_TRANSFER;
    const bool persistent = event->call == VEF_CALL_Start || event->call == VEF_CALL_Startall;
    uint64_t place;
    for (uint32_t i = 0; transfers && i < event->operation_count; i++) {
        const vef_operation *operation = &event->operations[i];
        if (operation->flags & VEF_OP_SEND || !has_message(operation))
            continue;
        const bool blocks = operation->request == VEF_NO_REQUEST;
        begin_receive(walker, operation,
                      (waiting){.from = (uint32_t)operation->peer,
                                .ordinal = operation->ordinal,
                                .receive = {.begin_ns = blocks || persistent ? enter_ns : leave_ns,
                                            .end_ns = leave_ns,
                                            .thread = event->thread,
                                            .known = true}});
    }
    for (uint32_t i = 0; i < event->completion_count; i++)
        if (vef_map64_take(&walker->place_of, event->completions[i].request, &place)) {
            walker->list[place].receive.end_ns = leave_ns;
            put_receive(walker->writer, walker->task, &walker->list[place]);
        }
    if (walker->place_of.count == 0)
        walker->count = 0;
}

/* ---- the pass ---- */

uint64_t vef_paraver_enter_ns(const vef_event *event, uint64_t before_ns) {
    return vef_call_has(event->call, VEF_FACT_BEGINS)
               ? before_ns
               : before_ns + event->gap_ns + event->outside_ns;
}

uint64_t vef_paraver_leave_ns(const vef_event *event, uint64_t enter_ns) {
    return vef_stats_is_startup(event->call) ? enter_ns : enter_ns + event->duration_ns;
}

static void add_delay(vef_paraver_strand *strand, uint64_t ns) {
    *VEF_NEW_ITEM(strand->delays, strand->delay_count, strand->delay_room) =
        (vef_paraver_delay){strand->calls, ns};
}

static void take_event(walk *walker, const vef_event *event) {
    vef_paraver_writing *writer = walker->writer;
    vef_paraver_strand *strand =
        &writer->strands[writer->first_strand[walker->task] + event->thread];
    const vef_selector_thread *thread = &walker->selector.threads[event->thread];
    const bool first = !thread->seen;
    vef_selector_next(&walker->selector, event);
    if (first)
        strand->begin_ns = thread->entered_ns - vef_paraver_enter_ns(event, 0);
    else if (thread->delay_ns > 0)
        add_delay(strand, thread->delay_ns);
    strand->calls++;
    if (writer->longest_ns < thread->end_ns)
        writer->longest_ns = thread->end_ns;
    writer->called[event->call] = true;
    writer->strands[writer->first_strand[walker->task]].finalized =
        event->call == VEF_CALL_Finalize;
    if (vef_call_kind(event->call) == VEF_KIND_REGION)
        vef_names_add(event->call == VEF_CALL_Mark ? &writer->marks : &writer->regions, 0,
                      event->name ? event->name : "");
    take_messages(walker, event, thread->entered_ns, thread->end_ns);
}

static vef_code read_task(vef_paraver_writing *writer, uint32_t task, vef_error *error) {
    static const vef_slice_options everything;
    walk walker = {.writer = writer, .task = task};
    vef_task_events *events = NULL;
    const vef_event *event = NULL;
    vef_selector_begin(&walker.selector, &everything, writer->header->task[task].threads);
    vef_code code = vef_task_events_open(writer->trace, task, &events, error);
    while (!code && (code = vef_task_events_next(events, &event, error)) == VEF_OK && event)
        take_event(&walker, event);
    vef_task_events_close(events);
    vef_selector_end(&walker.selector);
    vef_map64_free(&walker.place_of);
    free(walker.list);
    return code;
}

vef_code vef_paraver_survey(vef_paraver_writing *writer, vef_error *error) {
    const uint32_t tasks = writer->header->tasks;
    uint32_t strands = 0;
    writer->first_strand = vef_calloc(tasks + 1ull, sizeof *writer->first_strand);
    for (uint32_t task = 0; task < tasks; task++) {
        writer->first_strand[task] = strands;
        strands += writer->header->task[task].threads;
        writer->first_strand[task + 1] = strands;
    }
    writer->strands = vef_calloc(strands + 1ull, sizeof *writer->strands);
    vef_replay_comms_init(&writer->comms, writer->header->communicators,
                          writer->header->communicator_count);
    vef_code code = VEF_OK;
    for (uint32_t task = 0; !code && task < tasks; task++)
        code = read_task(writer, task, error);
    for (uint32_t i = 0; !code && i < strands; i++)
        writer->strands[i].calls = 0;
    return code;
}

void vef_paraver_survey_free(vef_paraver_writing *writer) {
    for (size_t i = 0; i < writer->pair_count; i++)
        free(writer->pairs[i].list);
    free(writer->pairs);
    for (uint32_t i = 0; writer->strands && i < writer->first_strand[writer->header->tasks]; i++)
        free(writer->strands[i].delays);
    free(writer->first_strand);
    free(writer->strands);
    vef_map64_free(&writer->pair_of);
    vef_replay_comms_release(&writer->comms);
    vef_names_free(&writer->regions);
    vef_names_free(&writer->marks);
}
