/* Telling a trace as a program of messages: see walk.h. */
#include "replay/formats/walk.h"
#include "replay/describe.h"
#include "replay/formats/walk_state.h"

#include <stdlib.h>
#include <string.h>

static const uint32_t no_record = UINT32_MAX;

/* Tags of messages of collectives lie in the upper half of what fits in 31 bits. */
static const uint32_t plan_tags = UINT32_C(1) << 30;

static uint32_t plan_tag(uint32_t comm, uint64_t number, uint32_t nth) {
    return plan_tags | (comm & 0x3ff) << 20 | ((uint32_t)number & 0xfff) << 8 | (nth & 0xff);
}

/* ---- records of what is under way ---- */

static uint32_t new_record(vef_walker *walker) {
    if (walker->free_record == no_record) {
        uint32_t capacity = walker->record_count ? 2 * walker->record_count : 64;
        vef_walk_record *records = realloc(walker->records, capacity * sizeof *records);
        if (!records)
            return no_record;
        for (uint32_t i = walker->record_count; i < capacity; i++)
            records[i].next = i + 1 < capacity ? i + 1 : no_record;
        walker->free_record = walker->record_count;
        walker->records = records;
        walker->record_count = capacity;
    }
    uint32_t index = walker->free_record;
    walker->free_record = walker->records[index].next;
    walker->records[index] = (vef_walk_record){.next = no_record};
    return index;
}

static void free_records(vef_walker *walker, uint32_t index) {
    while (index != no_record) {
        uint32_t next = walker->records[index].next;
        walker->records[index].next = walker->free_record;
        walker->free_record = index;
        index = next;
    }
}

static vef_code no_memory(vef_error *error) {
    return vef_fail_memory(error, "messages under way", sizeof(vef_walk_record));
}

/* Adds a record to those of a request. */
static vef_code keep(vef_walker *walker, uint64_t request, uint32_t index, vef_error *error) {
    const uint64_t *former = vef_map64_get(&walker->requests, request);
    if (former)
        walker->records[index].next = (uint32_t)*former;
    return vef_map64_set(&walker->requests, request, index) ? VEF_OK : no_memory(error);
}

static vef_code new_chain(vef_walker *walker, uint32_t from, uint32_t *chain, vef_error *error) {
    if (walker->free_chain_count > 0)
        *chain = walker->free_chains[--walker->free_chain_count];
    else
        *chain = walker->chains++;
    return walker->teller->fork(walker->teller->self, from, *chain, error);
}

static vef_code drop_chain(vef_walker *walker, uint32_t chain, vef_error *error) {
    if (walker->free_chain_count == walker->free_chain_capacity) {
        size_t capacity = 2 * walker->free_chain_capacity + 16;
        uint32_t *list = realloc(walker->free_chains, capacity * sizeof *list);
        if (!list)
            return vef_fail_memory(error, "chains", capacity * sizeof *list);
        walker->free_chains = list;
        walker->free_chain_capacity = capacity;
    }
    walker->free_chains[walker->free_chain_count++] = chain;
    return VEF_OK;
}

/* ---- messages ---- */

static bool moves_nothing(const vef_operation *operation) {
    return operation->peer == VEF_NO_TASK || operation->flags & VEF_OP_CANCELLED;
}

static vef_told_message told(const vef_operation *operation) {
    return (vef_told_message){.send = operation->flags & VEF_OP_SEND,
                              .peer = (uint32_t)operation->peer,
                              .tag = (uint32_t)(operation->ordinal & (plan_tags - 1)),
                              .bytes = operation->bytes};
}

/* One operation of a call; `*blocking` gets the record of one that the call waits for. */
static vef_code operation_told(vef_walker *walker, uint32_t chain, const vef_operation *operation,
                               uint32_t *blocking, vef_error *error) {
    bool general = operation->flags & VEF_OP_GENERALISED;
    *blocking = no_record;
    if (operation->flags & VEF_OP_UNMATCHED && !moves_nothing(operation)) {
        bool send = operation->flags & VEF_OP_SEND;
        walker->counts[send ? VEF_WALK_UNMATCHED_SENDS : VEF_WALK_UNMATCHED_RECEIVES]++;
        return VEF_OK;
    }
    if (moves_nothing(operation) && !general)
        return VEF_OK;
    uint32_t index = new_record(walker);
    if (index == no_record)
        return no_memory(error);
    vef_walk_record *record = &walker->records[index];
    bool later =
        general || (operation->flags & VEF_OP_PARTITIONED && operation->flags & VEF_OP_SEND);
    vef_code code = VEF_OK;
    record->message = told(operation);
    record->state = later ? VEF_WALK_NOT_YET : VEF_WALK_MESSAGE;
    record->general = general;
    if (!later)
        code = walker->teller->start(walker->teller->self, chain, &record->message, error);
    if (operation->request == VEF_NO_REQUEST)
        *blocking = index;
    else if (!code)
        code = keep(walker, operation->request, index, error);
    return code;
}

/* Waits for the records listed in walker->waited, and frees them. */
static vef_code wait_for(vef_walker *walker, uint32_t chain, const uint32_t *records, size_t count,
                         vef_error *error) {
    const vef_teller *teller = walker->teller;
    vef_code code = VEF_OK;
    size_t messages = 0;
    for (size_t i = 0; i < count && !code; i++)
        for (uint32_t at = records[i]; at != no_record && !code; at = walker->records[at].next) {
            const vef_walk_record *record = &walker->records[at];
            if (record->state == VEF_WALK_NOT_YET)
                walker->counts[VEF_WALK_EARLY_WAITS]++;
            if (record->state == VEF_WALK_CHAIN) {
                code = teller->join(teller->self, chain, record->chain, error);
                if (!code)
                    code = drop_chain(walker, record->chain, error);
            }
            if (record->state != VEF_WALK_MESSAGE)
                continue;
            if (messages == walker->list_capacity) {
                size_t capacity = 2 * walker->list_capacity + 64;
                const vef_told_message **list = realloc(walker->list, capacity * sizeof *list);
                if (!list)
                    return vef_fail_memory(error, "requests", capacity * sizeof *list);
                walker->list = list;
                walker->list_capacity = capacity;
            }
            walker->list[messages++] = &record->message;
        }
    if (!code && messages)
        code = teller->wait(teller->self, chain, walker->list, messages, error);
    for (size_t i = 0; i < count; i++)
        free_records(walker, records[i]);
    return code;
}

static vef_code transfer(vef_walker *walker, uint32_t chain, const vef_event *event,
                         vef_error *error) {
    vef_code code = vef_walk_room(walker, event->operation_count, error);
    size_t blocking = 0;
    for (uint32_t i = 0; i < event->operation_count && !code; i++) {
        code =
            operation_told(walker, chain, &event->operations[i], &walker->waited[blocking], error);
        blocking += !code && walker->waited[blocking] != no_record;
    }
    return code ? code : wait_for(walker, chain, walker->waited, blocking, error);
}

static vef_code completions(vef_walker *walker, uint32_t chain, const vef_event *event,
                            vef_error *error) {
    bool stays = event->call == VEF_CALL_Request_get_status || event->call == VEF_CALL_Parrived;
    vef_code code = vef_walk_room(walker, event->completion_count, error);
    size_t count = 0;
    if (stays) /* the Wait that follows waits for it */
        return code;
    for (uint32_t i = 0; i < event->completion_count && !code; i++) {
        uint64_t index;
        if (!vef_map64_take(&walker->requests, event->completions[i].request, &index))
            continue;
        if (event->call == VEF_CALL_Request_free)
            free_records(walker, (uint32_t)index);
        else
            walker->waited[count++] = (uint32_t)index;
    }
    return code ? code : wait_for(walker, chain, walker->waited, count, error);
}

/* Pready of the last partition: the message goes. Grequest_complete: waits for it end here. */
static vef_code released(vef_walker *walker, uint32_t chain, const vef_event *event,
                         vef_error *error) {
    const uint64_t *index = vef_map64_get(&walker->requests, (uint64_t)event->argument);
    bool done = event->call == VEF_CALL_Grequest_complete || event->flags & VEF_EVENT_LAST;
    if (!index || !done || event->call == VEF_CALL_Cancel)
        return VEF_OK;
    vef_walk_record *record = &walker->records[*index];
    if (record->state != VEF_WALK_NOT_YET)
        return VEF_OK;
    if (!record->general) {
        record->state = VEF_WALK_MESSAGE;
        return walker->teller->start(walker->teller->self, chain, &record->message, error);
    }
    record->state = VEF_WALK_NOTHING;
    if (!walker->teller->chains)
        return VEF_OK;
    record->state = VEF_WALK_CHAIN;
    return new_chain(walker, chain, &record->chain, error);
}

/* ---- collectives ---- */

static bool has_world_ranks(const vef_walker *walker, uint32_t comm) {
    const vef_communicator *made = &walker->header->communicators[comm];
    if (made->size != walker->header->tasks || made->remote_size)
        return false;
    for (uint32_t rank = 0; rank < made->size; rank++)
        if (made->members[rank] != rank)
            return false;
    return true;
}

static vef_code step_told(vef_walker *walker, uint32_t chain, const vef_comm_state *state,
                          uint64_t number, uint32_t comm, size_t i, vef_error *error) {
    const vef_step *step = &walker->plan.steps[i];
    walker->step_records[i] = no_record;
    if (step->kind == VEF_STEP_REDUCE) {
        double ns = (double)step->bytes * walker->options->reduce_ns_per_byte;
        return ns < 1 ? VEF_OK
                      : walker->teller->compute(walker->teller->self, chain, (uint64_t)ns, error);
    }
    uint32_t *counts = step->kind == VEF_STEP_SEND ? walker->peer_sends : walker->peer_receives;
    uint32_t index = new_record(walker);
    if (index == no_record)
        return no_memory(error);
    vef_walk_record *record = &walker->records[index];
    record->state = VEF_WALK_MESSAGE;
    record->message = (vef_told_message){.send = step->kind == VEF_STEP_SEND,
                                         .peer = vef_comm_member(state, step->peer),
                                         .tag = plan_tag(comm, number, counts[step->peer]++),
                                         .bytes = step->bytes};
    walker->step_records[i] = index;
    return walker->teller->start(walker->teller->self, chain, &record->message, error);
}

/* The plan's steps on a chain: before a step, those that it needs are waited for. */
static vef_code plan_told(vef_walker *walker, uint32_t chain, const vef_comm_state *state,
                          uint64_t number, uint32_t comm, vef_error *error) {
    vef_code code = VEF_OK;
    size_t count = walker->plan.count, complete = 0;
    for (size_t i = 0; i <= count && !code; i++) {
        size_t needed = i < count ? walker->plan.steps[i].after : count, waits = 0;
        for (; complete < needed; complete++)
            if (walker->step_records[complete] != no_record)
                walker->waited[waits++] = walker->step_records[complete];
        code = wait_for(walker, chain, walker->waited, waits, error);
        if (!code && i < count)
            code = step_told(walker, chain, state, number, comm, i, error);
    }
    for (size_t i = 0; i < count; i++)
        walker->peer_sends[walker->plan.steps[i].peer] =
            walker->peer_receives[walker->plan.steps[i].peer] = 0;
    return code;
}

static vef_code collective_body(vef_walker *walker, uint32_t chain, const vef_event *event,
                                const vef_comm_state *state, uint64_t number, uint32_t comm,
                                vef_error *error) {
    bool taken = false;
    vef_code code = VEF_OK;
    if (walker->teller->collective)
        code = walker->teller->collective(walker->teller->self, chain, event,
                                          has_world_ranks(walker, comm), &taken, error);
    if (code || taken)
        return code;
    code = vef_walk_room(walker, walker->plan.count, error);
    return code ? code : plan_told(walker, chain, state, number, comm, error);
}

static vef_code collective(vef_walker *walker, uint32_t chain, const vef_event *event,
                           vef_error *error) {
    uint32_t comm = vef_describe_comm(event);
    if (vef_event_is_making(event) || comm == VEF_NO_COMM)
        return VEF_OK;
    vef_comm_state *state = NULL;
    bool planned = false;
    vef_code code = vef_walk_plan(walker, event, comm, &state, &planned, error);
    if (code || !planned)
        return code;
    uint64_t number = walker->entered[comm]++;
    bool beside = vef_event_starts_request(event);
    if (!beside || !walker->teller->chains) {
        walker->counts[VEF_WALK_INLINE_COLLECTIVES] += beside;
        return collective_body(walker, chain, event, state, number, comm, error);
    }
    uint32_t index = new_record(walker), branch = 0;
    if (index == no_record)
        return no_memory(error);
    code = new_chain(walker, chain, &branch, error);
    if (!code)
        code = collective_body(walker, branch, event, state, number, comm, error);
    walker->records[index].state = VEF_WALK_CHAIN;
    walker->records[index].chain = branch;
    return code ? code : keep(walker, event->request, index, error);
}

/* ---- events ---- */

vef_code vef_walk_event(vef_walker *walker, uint32_t chain, const vef_event *event,
                        vef_error *error) {
    switch (vef_call_kind(event->call)) {
    case VEF_KIND_TRANSFER:
        return transfer(walker, chain, event, error);
    case VEF_KIND_COMPLETE:
        return completions(walker, chain, event, error);
    case VEF_KIND_PROBE:
        walker->counts[VEF_WALK_PROBES] += event->operation_count;
        return VEF_OK;
    case VEF_KIND_COLLECTIVE:
    case VEF_KIND_COMM:
        return collective(walker, chain, event, error);
    case VEF_KIND_ONE_SIDED:
        walker->counts[VEF_WALK_ONE_SIDED]++;
        return VEF_OK;
    case VEF_KIND_SYNC:
        walker->counts[VEF_WALK_SYNC]++;
        return VEF_OK;
    case VEF_KIND_LOCAL:
        return vef_call_names_request(event->call) ? released(walker, chain, event, error) : VEF_OK;
    case VEF_KIND_REGION:
    case VEF_KIND_AS:
    case VEF_KIND_COUNTED:
        break;
    }
    return VEF_OK;
}
