/* The MPI calls of one task of a Paraver trace. See calls_of_task.h. */
#include "interchange/paraver/calls_of_task.h"

#include "common/containers/grow.h"
#include "interchange/paraver/paraver.h"
#include "traces/call.h"

#include <stdlib.h>

/* A thread while its events are read. */
typedef struct strand {
    vef_paraver_entry details; /* of a collective at `enter_ns`, before or after its entry */
    size_t open;               /* place of the call under way, plus 1; 0: none */
    uint64_t *regions;         /* open functions of the program */
    size_t region_count, region_room;
    uint32_t number;
} strand;

static int compare_records(const void *a, const void *b) {
    const vef_paraver_record *one = a, *other = b;
    if (one->kind != other->kind)
        return one->kind < other->kind ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    if (one->time_ns != other->time_ns)
        return one->time_ns < other->time_ns ? -1 : 1;
    return one->sequence < other->sequence ? -1 : one->sequence > other->sequence;
}

static int compare_calls(const void *a, const void *b) {
    const vef_paraver_entry *one = a, *other = b;
    if (one->enter_ns != other->enter_ns)
        return one->enter_ns < other->enter_ns ? -1 : 1;
    if (one->thread != other->thread)
        return one->thread < other->thread ? -1 : 1;
    return one->number < other->number ? -1 : one->number > other->number;
}

static void add(vef_paraver_calls *calls, strand *thread, const vef_paraver_record *event,
                uint16_t call) {
    vef_grow(&calls->list, &calls->room, calls->count + 1, sizeof *calls->list);
    calls->list[calls->count++] = (vef_paraver_entry){.enter_ns = event->time_ns,
                                                      .leave_ns = event->time_ns,
                                                      .value = event->value,
                                                      .number = thread->number++,
                                                      .call = call,
                                                      .thread = event->thread};
}

static void leave(vef_paraver_calls *calls, strand *thread, uint64_t time_ns) {
    if (thread->open)
        calls->list[thread->open - 1].leave_ns = time_ns;
    thread->open = 0;
}

static void use_details(vef_paraver_calls *calls, strand *thread) {
    vef_paraver_entry *call = thread->open ? &calls->list[thread->open - 1] : NULL;
    if (!call || call->enter_ns != thread->details.enter_ns)
        return;
    call->sent = thread->details.sent;
    call->received = thread->details.received;
    call->comm = thread->details.comm;
    call->root = thread->details.root;
}

static void take_detail(vef_paraver_calls *calls, strand *thread, const vef_paraver_record *event) {
    if (thread->details.enter_ns != event->time_ns)
        thread->details = (vef_paraver_entry){.enter_ns = event->time_ns};
    switch (event->type) {
    case VEF_PARAVER_SENT:
        thread->details.sent = event->value;
        break;
    case VEF_PARAVER_RECEIVED:
        thread->details.received = event->value;
        break;
    case VEF_PARAVER_ROOT:
        thread->details.root = event->value != 0;
        break;
    default:
        thread->details.comm = event->value;
        break;
    }
    use_details(calls, thread);
}

static void take_function(vef_paraver_calls *calls, strand *thread,
                          const vef_paraver_record *event) {
    vef_paraver_record shown = *event;
    if (event->value == 0) {
        if (thread->region_count == 0)
            return;
        shown.value = thread->regions[--thread->region_count];
        add(calls, thread, &shown, VEF_CALL_Region_end);
        return;
    }
    vef_grow(&thread->regions, &thread->region_room, thread->region_count + 1,
             sizeof *thread->regions);
    thread->regions[thread->region_count++] = event->value;
    add(calls, thread, &shown, VEF_CALL_Region_begin);
}

/* Functions whose ends are missing: the trace may lack what switched recording off. */
static void end_functions(vef_paraver_calls *calls, strand *thread,
                          const vef_paraver_record *event) {
    vef_paraver_record end = *event;
    for (end.value = 0; thread->region_count > 0;)
        take_function(calls, thread, &end);
}

static void take_event(vef_paraver_calls *calls, strand *thread, const vef_paraver_record *event) {
    if (event->type == VEF_PARAVER_FUNCTION) {
        take_function(calls, thread, event);
        return;
    }
    if (event->type == VEF_PARAVER_MARK) {
        if (event->value)
            add(calls, thread, event, VEF_CALL_Mark);
        return;
    }
    if (!vef_paraver_is_mpi(event->type)) {
        take_detail(calls, thread, event);
        return;
    }
    leave(calls, thread, event->time_ns); /* also one whose end is missing */
    if (event->value == 0)
        return;
    const uint16_t call = vef_paraver_call(event->value);
    if (call == VEF_CALL_Finalize)
        end_functions(calls, thread, event);
    add(calls, thread, event, call);
    thread->open = calls->count;
    use_details(calls, thread);
}

void vef_paraver_calls_find(vef_paraver_calls *calls) {
    strand thread = {.details = {.enter_ns = UINT64_MAX}};
    calls->count = calls->events = calls->sends = 0;
    qsort(calls->records, calls->record_count, sizeof *calls->records, compare_records);
    for (size_t i = 0; i < calls->record_count; i++) {
        calls->events += calls->records[i].kind == VEF_PARAVER_EVENT;
        calls->sends += calls->records[i].kind == VEF_PARAVER_SEND;
    }
    for (size_t i = 0; i < calls->events; i++) {
        const vef_paraver_record *event = &calls->records[i];
        if (i > 0 && event->thread != event[-1].thread) {
            uint64_t *const regions = thread.regions;
            const size_t room = thread.region_room;
            thread = (strand){
                .details = {.enter_ns = UINT64_MAX}, .regions = regions, .region_room = room};
        }
        take_event(calls, &thread, event);
        if (i + 1 == calls->events || event[1].thread != event->thread)
            end_functions(calls, &thread, event);
    }
    free(thread.regions);
    if (calls->count > 0)
        qsort(calls->list, calls->count, sizeof *calls->list, compare_calls);
}

void vef_paraver_calls_free(vef_paraver_calls *calls) {
    free(calls->records);
    free(calls->list);
    *calls = (vef_paraver_calls){0};
}
