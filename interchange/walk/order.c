/* The order in which non-blocking collectives progress: see order.h. */
#include "interchange/walk/order.h"
#include "common/containers/grow.h"
#include "common/memory.h"
#include "replay/replay.h"

#include <stdio.h>
#include <stdlib.h>

static const char ideal_network[] = "{model: ideal}";
static const double message_ns = 1000;
/* Larger messages wait for their receive: SimGrid's smpi/send-is-detached-thresh is 65536, the
 * first size that waits. */
static const uint64_t eager_bytes = 65535;

static uint64_t collective_key(uint32_t comm, uint64_t place) {
    return (uint64_t)comm << 40 | (place & ((UINT64_C(1) << 40) - 1));
}

static void add(vef_order_list *list, const vef_order_entry *entry) {
    vef_order_entry *last = list->count ? &list->entries[list->count - 1] : NULL;
    if (last && last->event == entry->event && last->own_steps == entry->own_steps &&
        last->collective == entry->collective) {
        last->until = entry->until;
        return;
    }
    *VEF_NEW_ITEM(list->entries, list->count, list->capacity) = *entry;
}

/* ---- collectives that cannot be single actions ---- */

static void interrupt(vef_order *order, uint32_t comm, uint64_t place) {
    vef_map64_set(&order->interrupted, collective_key(comm, place), 1);
}

/* The passage of a communicator. May move all passages. */
static vef_order_passage *passage_of(vef_order *order, uint32_t comm) {
    for (size_t i = 0; i < order->passage_count; i++)
        if (order->passages[i].comm == comm)
            return &order->passages[i];
    order->passages =
        vef_realloc(order->passages, (order->passage_count + 1) * sizeof *order->passages);
    vef_order_passage *added = &order->passages[order->passage_count++];
    *added = (vef_order_passage){.comm = comm,
                                 .entered = vef_calloc(order->tasks, sizeof *added->entered),
                                 .left = vef_calloc(order->tasks, sizeof *added->left),
                                 .at_least = order->tasks};
    return added;
}

static void enter(vef_order_passage *passage, uint32_t tasks, uint32_t task, uint64_t place) {
    const bool was_least = passage->entered[task] == passage->all_entered;
    passage->entered[task] = place;
    if (!was_least || --passage->at_least > 0)
        return;
    passage->all_entered = UINT64_MAX;
    for (uint32_t i = 0; i < tasks; i++) {
        if (passage->entered[i] < passage->all_entered) {
            passage->all_entered = passage->entered[i];
            passage->at_least = 0;
        }
        passage->at_least += passage->entered[i] == passage->all_entered;
    }
}

static void passes(void *context, const vef_collective_passed *event) {
    vef_order *order = context;
    const vef_communicator *comm = &order->header->communicators[event->comm];
    if (comm->size != order->tasks || comm->remote_size)
        return;
    vef_order_passage *passage = passage_of(order, event->comm);
    if (event->leaves)
        passage->left[event->task] = event->number + 1;
    else
        enter(passage, order->tasks, event->task, event->number + 1);
}

/* A task starts steps of a non-blocking collective: marks the collectives that it has left and that
 * some tasks have not entered. */
static void interrupt_left(vef_order *order, uint32_t task) {
    for (size_t i = 0; i < order->passage_count; i++) {
        vef_order_passage *passage = &order->passages[i];
        if (passage->marked < passage->all_entered)
            passage->marked = passage->all_entered;
        for (; passage->marked < passage->left[task]; passage->marked++)
            interrupt(order, passage->comm, passage->marked);
    }
}

static void starts_steps(void *context, const vef_steps_started *steps) {
    vef_order *order = context;
    const vef_order_entry entry = {.event = steps->event,
                                   .collective = steps->collective,
                                   .until = steps->until,
                                   .own_steps = steps->own_steps};
    interrupt_left(order, steps->task);
    if (steps->inside)
        interrupt(order, steps->comm, steps->number);
    add(&order->lists[order->first[steps->task] + steps->thread], &entry);
}

/* ---- the replay ---- */

/* Whether a thread starts a non-blocking collective. */
static vef_code search(vef_trace *trace, uint32_t task, uint32_t thread, bool *found,
                       vef_error *error) {
    vef_stream *stream = NULL;
    const vef_event *event = NULL;
    vef_code code = vef_stream_open(trace, task, thread, &stream, error);
    while (!code && !*found && (code = vef_stream_next(stream, &event, error)) == VEF_OK && event)
        *found = vef_event_starts_request(event);
    vef_stream_close(stream);
    return code;
}

static vef_code search_all(vef_trace *trace, bool *found, vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    vef_code code = VEF_OK;
    for (uint32_t task = 0; task < header->tasks && !code && !*found; task++)
        for (uint32_t thread = 0; thread < header->task[task].threads && !code && !*found; thread++)
            code = search(trace, task, thread, found, error);
    return code;
}

static void prepare(vef_order *order, const vef_trace_header *header) {
    order->tasks = header->tasks;
    order->header = header;
    order->first = vef_calloc(header->tasks + (size_t)1, sizeof *order->first);
    for (uint32_t task = 0; task < header->tasks; task++)
        order->first[task + 1] = order->first[task] + header->task[task].threads;
    order->lists = vef_calloc(order->first[header->tasks] + 1, sizeof *order->lists);
}

vef_code vef_order_find(vef_trace *trace, const vef_format_options *options, vef_order *order,
                        vef_error *error) {
    const vef_trace_header *header = vef_trace_get_header(trace);
    *order = (vef_order){0};
    bool found = false;
    vef_code code = search_all(trace, &found, error);
    if (code || !found)
        return code;
    prepare(order, header);
    vef_netmodel *network = NULL;
    uint32_t *mapping = vef_calloc(header->tasks, sizeof *mapping);
    vef_replay_result result = {0};
    const vef_listener listener = {
        .context = order, .passes = passes, .starts_steps = starts_steps};
    vef_replay_options how = vef_replay_defaults();
    how.host.poll_gap_ns = options->poll_gap_ns;
    how.host.reduce_ns_per_byte = options->reduce_ns_per_byte;
    if (options->choices)
        how.choices = *options->choices;
    how.host.send_overhead = vef_cost_of(message_ns, 0);
    how.eager_bytes = eager_bytes;
    how.listeners = &listener;
    code = vef_netmodel_open(ideal_network, NULL, 0, &network, error);
    for (uint32_t task = 0; task < header->tasks; task++)
        mapping[task] = task;
    if (!code)
        code = vef_replay(trace, network, mapping, &how, NULL, &result, error);
    if (!code && result.stall != VEF_STALL_NONE)
        snprintf(order->stall, sizeof order->stall, "%s", result.stall_text);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    free(mapping);
    return code;
}

void vef_order_release(vef_order *order) {
    for (size_t i = 0; order->lists && i < order->first[order->tasks]; i++)
        free(order->lists[i].entries);
    for (size_t i = 0; i < order->passage_count; i++) {
        free(order->passages[i].entered);
        free(order->passages[i].left);
    }
    free(order->passages);
    free(order->lists);
    free(order->first);
    vef_map64_free(&order->interrupted);
    *order = (vef_order){0};
}

const vef_order_list *vef_order_of(const vef_order *order, uint32_t task, uint32_t thread) {
    return order->lists ? &order->lists[order->first[task] + thread] : NULL;
}

bool vef_order_interrupts(const vef_order *order, uint32_t comm, uint64_t place) {
    return vef_map64_get(&order->interrupted, collective_key(comm, place)) != NULL;
}
