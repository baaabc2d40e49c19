/* The processors and network interfaces of hosts: construction, and what is known of them at a
 * time. See processor.c. */
#include "replay/engine/processors.h"

#include <stdio.h>
#include <string.h>

static void add_processor(vef_processors *processors, uint32_t number, uint32_t *link,
                          uint32_t *index) {
    const uint32_t next = (uint32_t)processors->processor_count;
    const size_t offset = link ? (size_t)((char *)link - (char *)processors->processors) : 0;
    vef_store_grow(processors->store, &processors->processors, &processors->processor_room,
                   processors->processor_count + 1, sizeof *processors->processors);
    if (link)
        memcpy((char *)processors->processors + offset, &next, sizeof next);
    processors->processors[processors->processor_count++] =
        (vef_processor){.number = number, .next = VEF_NO_JOB, .first_waiting = VEF_NO_JOB};
    *index = next;
}

void vef_processors_find(vef_processors *processors, uint32_t task, uint32_t number,
                         uint32_t *index) {
    for (*index = task; processors->processors[*index].number != number;
         *index = processors->processors[*index].next)
        if (processors->processors[*index].next == VEF_NO_JOB) {
            add_processor(processors, number, &processors->processors[*index].next, index);
            return;
        }
}

void vef_interfaces_find(vef_processors *processors, uint32_t task, uint32_t number,
                         uint32_t *index) {
    for (*index = task; processors->interfaces[*index].number != number;
         *index = processors->interfaces[*index].next) {
        if (processors->interfaces[*index].next != VEF_NO_JOB)
            continue;
        processors->interfaces[*index].next = (uint32_t)processors->interface_count;
        vef_store_grow(processors->store, &processors->interfaces, &processors->interface_room,
                       processors->interface_count + 1, sizeof *processors->interfaces);
        processors->interfaces[processors->interface_count++] =
            (vef_interface){.number = number, .next = VEF_NO_JOB};
    }
}

static void fill(vef_engine *engine, vef_processors *processors) {
    const uint32_t tasks = engine->source->tasks;
    uint32_t index;
    vef_store_grow(processors->store, &processors->processors, &processors->processor_room,
                   tasks + 1ull, sizeof *processors->processors);
    vef_store_grow(processors->store, &processors->interfaces, &processors->interface_room,
                   tasks + 1ull, sizeof *processors->interfaces);
    for (uint32_t task = 0; task < tasks; task++) {
        processors->processors[processors->processor_count++] =
            (vef_processor){.next = VEF_NO_JOB, .first_waiting = VEF_NO_JOB};
        processors->interfaces[processors->interface_count++] = (vef_interface){.next = VEF_NO_JOB};
    }
    for (uint32_t i = 0; i < engine->strand_count; i++) {
        const vef_strand *strand = &engine->strands[i];
        index = strand->task;
        if (strand->thread > 0)
            vef_processors_find(processors, strand->task, VEF_OWN_PROCESSOR + strand->thread,
                                &index);
        processors->workers[i] = (vef_worker){.processor = index, .interface = strand->task};
    }
}

void vef_processors_prepare(vef_engine *engine) {
    vef_processors *processors = vef_store_take(engine->store, 1, sizeof *processors);
    engine->processors = processors;
    processors->store = engine->store;
    processors->free_job = processors->turn = processors->started = VEF_NO_JOB;
    processors->workers =
        vef_store_take(engine->store, engine->strand_count, sizeof *processors->workers);
    fill(engine, processors);
}

void vef_processor_bind(vef_engine *engine, uint32_t strand) {
    const vef_strand *state = &engine->strands[strand];
    unsigned cpu, nic = 0;
    if (state->event->call != VEF_CALL_Mark || !state->event->name ||
        state->event_number != (state->thread == 0) ||
        sscanf(state->event->name, "cpu %u nic %u", &cpu, &nic) < 1 || cpu >= VEF_OWN_PROCESSOR ||
        nic >= VEF_OWN_PROCESSOR)
        return;
    if (!engine->processors)
        vef_processors_prepare(engine);
    vef_worker *bound = &engine->processors->workers[strand];
    bound->bound = true;
    vef_processors_find(engine->processors, state->task, cpu, &bound->processor);
    vef_interfaces_find(engine->processors, state->task, nic, &bound->interface);
}

void vef_processor_share(vef_engine *engine, uint32_t strand, uint64_t begin_ps) {
    vef_strand *state = &engine->strands[strand];
    const vef_worker *worker = &engine->processors->workers[strand];
    vef_processor *shared = &engine->processors->processors[worker->processor];
    if (!worker->bound || state->cpu_ps == begin_ps)
        return;
    if (shared->free_ps > begin_ps) {
        state->times.waiting_ps += shared->free_ps - begin_ps;
        state->cpu_ps += shared->free_ps - begin_ps;
        VEF_REPORT(engine->listeners, waits, strand, state->cpu_ps, state->cpu_ps);
    }
    shared->free_ps = state->cpu_ps;
}

uint64_t vef_processor_overhead(vef_engine *engine, uint32_t strand, uint64_t ps) {
    vef_worker *worker = &engine->processors->workers[strand];
    const vef_processor *processor = &engine->processors->processors[worker->processor];
    uint64_t until = processor->overhead_ps;
    if (processor->overhead_end > engine->now_ps)
        until -= processor->overhead_end - engine->now_ps;
    const uint64_t overhead = until > worker->seen_ps ? until - worker->seen_ps : 0;
    if (until > worker->seen_ps)
        worker->seen_ps = until;
    return overhead < ps ? overhead : ps;
}

bool vef_processors_several(const vef_engine *engine, uint32_t task) {
    return engine->processors->processors[task].next != VEF_NO_JOB;
}

uint64_t vef_processors_end(const vef_engine *engine, uint32_t task) {
    const vef_processors *processors = engine->processors;
    uint64_t end_ps = 0;
    for (uint32_t i = task; i != VEF_NO_JOB; i = processors->processors[i].next)
        if (processors->processors[i].free_ps > end_ps)
            end_ps = processors->processors[i].free_ps;
    return end_ps;
}
