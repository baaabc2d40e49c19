/* What is in progress in a task: messages and chains, and waits for them. See state.h. */
#include "common/containers/grow.h"
#include "interchange/walk/state.h"

uint32_t vef_walk_new_record(vef_walker *walker) {
    uint32_t index = walker->free_record;
    if (index == VEF_NO_RECORD) {
        index = walker->record_count++;
        vef_grow(&walker->records, &walker->record_room, walker->record_count,
                 sizeof *walker->records);
    } else {
        walker->free_record = walker->records[index].next;
    }
    walker->records[index] = (vef_walk_record){.next = VEF_NO_RECORD};
    return index;
}

void vef_walk_free_records(vef_walker *walker, uint32_t index) {
    while (index != VEF_NO_RECORD) {
        uint32_t next = walker->records[index].next;
        walker->records[index].next = walker->free_record;
        walker->free_record = index;
        index = next;
    }
}

void vef_walk_keep(vef_walker *walker, uint64_t request, uint32_t index) {
    const uint64_t *former = vef_map64_get(&walker->requests, request);
    if (former)
        walker->records[index].next = (uint32_t)*former;
    vef_map64_set(&walker->requests, request, index);
}

uint32_t vef_walk_new_chain(vef_walker *walker, uint32_t from) {
    const uint32_t chain = walker->free_chain_count > 0
                               ? walker->free_chains[--walker->free_chain_count]
                               : walker->chains++;
    walker->sink->fork(walker->sink->context, from, chain);
    return chain;
}

static void drop_chain(vef_walker *walker, uint32_t chain) {
    *VEF_NEW_ITEM(walker->free_chains, walker->free_chain_count, walker->free_chain_capacity) =
        chain;
}

void vef_walk_wait(vef_walker *walker, uint32_t chain, const uint32_t *records, size_t count,
                   bool keep) {
    const vef_walk_sink *sink = walker->sink;
    size_t messages = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t next = records[i]; next != VEF_NO_RECORD; next = walker->records[next].next) {
            const vef_walk_record *record = &walker->records[next];
            if (record->state == VEF_WALK_NOT_YET)
                walker->counts[VEF_WALK_EARLY_WAITS]++;
            if (record->state == VEF_WALK_CHAIN) {
                sink->join(sink->context, chain, record->chain);
                if (!keep)
                    drop_chain(walker, record->chain);
            }
            if (record->state != VEF_WALK_MESSAGE)
                continue;
            *VEF_NEW_ITEM(walker->list, messages, walker->list_capacity) = &record->message;
        }
    if (messages)
        sink->wait(sink->context, chain, walker->list, messages);
    for (size_t i = 0; i < count && !keep; i++)
        vef_walk_free_records(walker, records[i]);
}

void vef_walk_room(vef_walker *walker, size_t count) {
    vef_grow(&walker->waited, &walker->room, count + 1, sizeof *walker->waited);
}
