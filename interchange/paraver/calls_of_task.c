/* The MPI calls of one task of a Paraver trace. See calls_of_task.h. */
#include "interchange/paraver/calls_of_task.h"

#include "common/containers/grow.h"
#include "common/containers/order.h"
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

VEF_ORDER_BY(compare_records, vef_paraver_record, kind, thread, time_ns, sequence)

VEF_ORDER_BY(compare_calls, vef_paraver_entry, enter_ns, thread, number)

static void add(vef_paraver_calls *calls, strand *thread, const vef_paraver_record *event,
                uint16_t call) {
    *VEF_NEW_ITEM(calls->list, calls->count, calls->room) =
        (vef_paraver_entry){.enter_ns = event->time_ns,
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
    *VEF_NEW_ITEM(thread->regions, thread->region_count, thread->region_room) = event->value;
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
