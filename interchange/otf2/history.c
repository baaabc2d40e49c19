/* The calls of an archive, for restore.h. See history.h. */
#include "interchange/otf2/history.h"

#ifdef VEF_HAVE_OTF2

#include "common/grow.h"
#include "interchange/otf2/collectives.h"

#include <stdlib.h>

bool vef_otf2_is_unstated(const vef_otf2_tool *tool, uint16_t call) {
    return tool->starts_only && call != VEF_CALL_Start && call != VEF_CALL_Startall;
}

bool vef_otf2_restores_at(uint16_t call) {
    return vef_call_kind(call) == VEF_KIND_COMPLETE && !vef_call_has(call, VEF_FACT_INSPECTS) &&
           !vef_call_has(call, VEF_FACT_FREES);
}

void vef_otf2_history_task(vef_otf2_history *self, uint32_t task) {
    self->task = task;
    self->place_count = 0;
}

static vef_otf2_inside *place_of(vef_otf2_history *self, uint64_t location) {
    for (size_t i = 0; i < self->place_count; i++)
        if (self->places[i].location == location)
            return &self->places[i];
    vef_grow(&self->places, &self->place_room, self->place_count + 1, sizeof *self->places);
    self->places[self->place_count] = (vef_otf2_inside){.location = location};
    return &self->places[self->place_count++];
}

static void add(vef_otf2_history *self, vef_otf2_step step) {
    vef_otf2_restore_step(self->to, self->task, step);
}

/* Only those after a call that completes something are of interest. */
static void add_other(vef_otf2_history *self) {
    const vef_otf2_restored *task = &self->to->tasks[self->task];
    if (task->step_count > 0 && task->steps[task->step_count - 1].kind == VEF_OTF2_STEP_COMPLETE)
        add(self, (vef_otf2_step){.kind = VEF_OTF2_STEP_OTHER});
}

/* The task with that rank of a communicator; false: there is none. */
static bool task_of(const vef_otf2_history *self, const vef_otf2_record *record, uint32_t *comm,
                    uint32_t *task) {
    *comm = vef_otf2_run_comm(self->run, record->b);
    if (*comm == VEF_NO_COMM)
        return false;
    const vef_otf2_comm *about = &self->run->comms[*comm];
    const uint32_t size = about->kind == VEF_OTF2_COMM_SELF ? 1 : about->size;
    if (about->kind == VEF_OTF2_COMM_UNKNOWN || record->a >= size)
        return false;
    *task = about->kind == VEF_OTF2_COMM_SELF ? self->task : about->members[record->a];
    return *task < self->run->task_count;
}

static void take_send(vef_otf2_history *self, const vef_otf2_record *record, bool starts,
                      uint64_t at_ns) {
    vef_otf2_step step = {.kind = starts ? VEF_OTF2_STEP_START_SEND : VEF_OTF2_STEP_SEND,
                          .message = VEF_OTF2_NO_MESSAGE,
                          .address = record->e};
    vef_otf2_message message = {
        .sender = self->task, .tag = (int32_t)record->c, .bytes = record->d, .sent_ns = at_ns};
    if (task_of(self, record, &message.comm, &message.receiver))
        step.message = vef_otf2_restore_message(self->to, message);
    add(self, step);
}

static void take_receive(vef_otf2_history *self, const vef_otf2_record *record, uint64_t at_ns) {
    vef_otf2_step step = {.kind = VEF_OTF2_STEP_RECEIVE, .tag = (int32_t)record->c, .at_ns = at_ns};
    if (task_of(self, record, &step.comm, &step.sender))
        add(self, step);
}

/* Whether all members wait for all in the call. */
static bool synchronises(uint64_t operation, const vef_otf2_record *record) {
    const int call = vef_otf2_call((uint8_t)operation);
    return call == VEF_CALL_Barrier || ((call == VEF_CALL_Allreduce || call == VEF_CALL_Alltoall ||
                                         call == VEF_CALL_Allgather) &&
                                        record->f > 0);
}

static void take_collective(vef_otf2_history *self, const vef_otf2_record *record,
                            const vef_otf2_inside *place, uint64_t at_ns) {
    const uint32_t comm = vef_otf2_run_comm(self->run, record->b);
    uint32_t rank;
    if (comm == VEF_NO_COMM || self->run->comms[comm].kind == VEF_OTF2_COMM_SELF ||
        !vef_otf2_run_rank(&self->run->comms[comm], self->task, &rank))
        return;
    const vef_otf2_step step = {.kind = VEF_OTF2_STEP_COLLECTIVE,
                                .synchronises = synchronises(record->c, record),
                                .comm = comm,
                                .entered_ns = place->open ? place->entered_ns : at_ns,
                                .at_ns = at_ns};
    vef_otf2_restore_collective(self->to, self->task, self->run->comms[comm].size, step);
}

void vef_otf2_history_take(vef_otf2_history *self, const vef_otf2_record *record) {
    const uint64_t at_ns = vef_otf2_run_ns(self->run, record->time);
    const vef_otf2_known_region *region;
    vef_otf2_inside *place = place_of(self, record->location);
    const bool unstated = !place->open || vef_otf2_is_unstated(self->run->tool, place->call);
    switch (record->type) {
    case VEF_OTF2_ENTER:
        region = vef_otf2_run_region(self->run, record->a);
        if (place->open || !region || region->meaning != VEF_OTF2_IS_CALL)
            break;
        place->open = true;
        place->region = record->a;
        place->entered_ns = at_ns;
        place->call = region->call;
        if (!vef_otf2_restores_at(region->call))
            add_other(self);
        break;
    case VEF_OTF2_LEAVE:
        if (!place->open || place->region != record->a)
            break;
        place->open = false;
        if (vef_otf2_restores_at(place->call))
            add(self, (vef_otf2_step){
                          .kind = VEF_OTF2_STEP_COMPLETE, .call = place->call, .at_ns = at_ns});
        break;
    case VEF_OTF2_SEND:
        take_send(self, record, false, at_ns);
        break;
    case VEF_OTF2_ISEND:
        take_send(self, record, unstated, at_ns);
        break;
    case VEF_OTF2_RECV:
    case VEF_OTF2_IRECV:
        take_receive(self, record, at_ns);
        break;
    case VEF_OTF2_COLLECTIVE_END:
        take_collective(self, record, place, at_ns);
        break;
    case VEF_OTF2_IRECV_REQUEST:
        if (unstated)
            add(self, (vef_otf2_step){.kind = VEF_OTF2_STEP_START_RECEIVE,
                                      .message = VEF_OTF2_NO_MESSAGE,
                                      .address = record->e});
        break;
    default:
        break;
    }
}

void vef_otf2_history_release(vef_otf2_history *self) {
    free(self->places);
}

#endif
