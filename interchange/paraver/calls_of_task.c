/* The MPI calls of one task of a Paraver trace. See calls_of_task.h. */
#include "interchange/paraver/calls_of_task.h"

#include "common/grow.h"
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

static void add(vef_paraver_calls *self, strand *at, const vef_paraver_record *event,
                uint16_t call) {
    vef_grow(&self->list, &self->room, self->count + 1, sizeof *self->list);
    self->list[self->count++] = (vef_paraver_entry){.enter_ns = event->time_ns,
                                                    .leave_ns = event->time_ns,
                                                    .value = event->value,
                                                    .number = at->number++,
                                                    .call = call,
                                                    .thread = event->thread};
}

static void leave(vef_paraver_calls *self, strand *at, uint64_t time_ns) {
    if (at->open)
        self->list[at->open - 1].leave_ns = time_ns;
    at->open = 0;
}

static void use_details(vef_paraver_calls *self, strand *at) {
    vef_paraver_entry *call = at->open ? &self->list[at->open - 1] : NULL;
    if (!call || call->enter_ns != at->details.enter_ns)
        return;
    call->sent = at->details.sent;
    call->received = at->details.received;
    call->comm = at->details.comm;
    call->root = at->details.root;
}

static void take_detail(vef_paraver_calls *self, strand *at, const vef_paraver_record *event) {
    if (at->details.enter_ns != event->time_ns)
        at->details = (vef_paraver_entry){.enter_ns = event->time_ns};
    switch (event->type) {
    case VEF_PARAVER_SENT:
        at->details.sent = event->value;
        break;
    case VEF_PARAVER_RECEIVED:
        at->details.received = event->value;
        break;
    case VEF_PARAVER_ROOT:
        at->details.root = event->value != 0;
        break;
    default:
        at->details.comm = event->value;
        break;
    }
    use_details(self, at);
}

static void take_function(vef_paraver_calls *self, strand *at, const vef_paraver_record *event) {
    vef_paraver_record shown = *event;
    if (event->value == 0) {
        if (at->region_count == 0)
            return;
        shown.value = at->regions[--at->region_count];
        add(self, at, &shown, VEF_CALL_Region_end);
        return;
    }
    vef_grow(&at->regions, &at->region_room, at->region_count + 1, sizeof *at->regions);
    at->regions[at->region_count++] = event->value;
    add(self, at, &shown, VEF_CALL_Region_begin);
}

/* Functions whose ends are missing: the trace may lack what switched recording off. */
static void end_functions(vef_paraver_calls *self, strand *at, const vef_paraver_record *event) {
    vef_paraver_record end = *event;
    for (end.value = 0; at->region_count > 0;)
        take_function(self, at, &end);
}

static void take_event(vef_paraver_calls *self, strand *at, const vef_paraver_record *event) {
    if (event->type == VEF_PARAVER_FUNCTION) {
        take_function(self, at, event);
        return;
    }
    if (event->type == VEF_PARAVER_MARK) {
        if (event->value)
            add(self, at, event, VEF_CALL_Mark);
        return;
    }
    if (!vef_paraver_is_mpi(event->type)) {
        take_detail(self, at, event);
        return;
    }
    leave(self, at, event->time_ns); /* also one whose end is missing */
    if (event->value == 0)
        return;
    const uint16_t call = vef_paraver_call(event->value);
    if (call == VEF_CALL_Finalize)
        end_functions(self, at, event);
    add(self, at, event, call);
    at->open = self->count;
    use_details(self, at);
}

void vef_paraver_calls_find(vef_paraver_calls *self) {
    strand at = {.details = {.enter_ns = UINT64_MAX}};
    self->count = self->events = self->sends = 0;
    qsort(self->records, self->record_count, sizeof *self->records, compare_records);
    for (size_t i = 0; i < self->record_count; i++) {
        self->events += self->records[i].kind == VEF_PARAVER_EVENT;
        self->sends += self->records[i].kind == VEF_PARAVER_SEND;
    }
    for (size_t i = 0; i < self->events; i++) {
        const vef_paraver_record *event = &self->records[i];
        if (i > 0 && event->thread != event[-1].thread) {
            uint64_t *const regions = at.regions;
            const size_t room = at.region_room;
            at = (strand){
                .details = {.enter_ns = UINT64_MAX}, .regions = regions, .region_room = room};
        }
        take_event(self, &at, event);
        if (i + 1 == self->events || event[1].thread != event->thread)
            end_functions(self, &at, event);
    }
    free(at.regions);
    if (self->count > 0)
        qsort(self->list, self->count, sizeof *self->list, compare_calls);
}

void vef_paraver_calls_free(vef_paraver_calls *self) {
    free(self->records);
    free(self->list);
    *self = (vef_paraver_calls){0};
}
