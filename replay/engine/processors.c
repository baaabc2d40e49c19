/* The processors and network interfaces of hosts: construction, and what is known of them at a
 * time. See processor.c. */
#include "replay/engine/processors.h"

#include "common/grow.h"
#include "common/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_processor(vef_processors *self, uint32_t number, uint32_t *link, uint32_t *index) {
    const uint32_t next = (uint32_t)self->processor_count;
    const size_t offset = link ? (size_t)((char *)link - (char *)self->processors) : 0;
    vef_grow(&self->processors, &self->processor_room, self->processor_count + 1,
             sizeof *self->processors);
    if (link)
        memcpy((char *)self->processors + offset, &next, sizeof next);
    self->processors[self->processor_count++] =
        (vef_processor){.number = number, .next = VEF_NO_JOB, .first_waiting = VEF_NO_JOB};
    *index = next;
}

void vef_processors_find(vef_processors *self, uint32_t task, uint32_t number, uint32_t *index) {
    for (*index = task; self->processors[*index].number != number;
         *index = self->processors[*index].next)
        if (self->processors[*index].next == VEF_NO_JOB) {
            add_processor(self, number, &self->processors[*index].next, index);
            return;
        }
}

void vef_interfaces_find(vef_processors *self, uint32_t task, uint32_t number, uint32_t *index) {
    for (*index = task; self->interfaces[*index].number != number;
         *index = self->interfaces[*index].next) {
        if (self->interfaces[*index].next != VEF_NO_JOB)
            continue;
        vef_grow(&self->interfaces, &self->interface_room, self->interface_count + 1,
                 sizeof *self->interfaces);
        self->interfaces[*index].next = (uint32_t)self->interface_count;
        self->interfaces[self->interface_count++] =
            (vef_interface){.number = number, .next = VEF_NO_JOB};
    }
}

static void fill(vef_engine *engine, vef_processors *self) {
    const uint32_t tasks = engine->source->tasks;
    uint32_t index;
    vef_grow(&self->processors, &self->processor_room, tasks + 1ull, sizeof *self->processors);
    vef_grow(&self->interfaces, &self->interface_room, tasks + 1ull, sizeof *self->interfaces);
    for (uint32_t task = 0; task < tasks; task++) {
        self->processors[self->processor_count++] =
            (vef_processor){.next = VEF_NO_JOB, .first_waiting = VEF_NO_JOB};
        self->interfaces[self->interface_count++] = (vef_interface){.next = VEF_NO_JOB};
    }
    for (uint32_t i = 0; i < engine->strand_count; i++) {
        const vef_strand *strand = &engine->strands[i];
        index = strand->task;
        if (strand->thread > 0)
            vef_processors_find(self, strand->task, VEF_OWN_PROCESSOR + strand->thread, &index);
        self->workers[i] = (vef_worker){.processor = index, .interface = strand->task};
    }
}

void vef_processors_prepare(vef_engine *engine) {
    vef_processors *self = vef_calloc(1, sizeof *self);
    engine->processors = self;
    self->free_job = self->turn = self->started = VEF_NO_JOB;
    self->workers =
        vef_calloc(engine->strand_count ? engine->strand_count : 1, sizeof *self->workers);
    fill(engine, self);
}

void vef_processors_release(vef_engine *engine) {
    vef_processors *self = engine->processors;
    if (!self)
        return;
    free(self->processors);
    free(self->interfaces);
    free(self->workers);
    free(self->jobs);
    vef_pending_release(&self->queue);
    for (unsigned kind = 0; kind < VEF_JOB_ARRIVAL; kind++)
        free(self->fresh[kind].jobs);
    free(self->departures);
    free(self);
}

void vef_processor_bind(vef_engine *engine, uint32_t strand) {
    const vef_strand *self = &engine->strands[strand];
    unsigned cpu, nic = 0;
    if (self->event->call != VEF_CALL_Mark || !self->event->name ||
        self->event_number != (self->thread == 0) ||
        sscanf(self->event->name, "cpu %u nic %u", &cpu, &nic) < 1 || cpu >= VEF_OWN_PROCESSOR ||
        nic >= VEF_OWN_PROCESSOR)
        return;
    if (!engine->processors)
        vef_processors_prepare(engine);
    vef_worker *bound = &engine->processors->workers[strand];
    bound->bound = true;
    vef_processors_find(engine->processors, self->task, cpu, &bound->processor);
    vef_interfaces_find(engine->processors, self->task, nic, &bound->interface);
}

void vef_processor_share(vef_engine *engine, uint32_t strand, uint64_t begin_ps) {
    vef_strand *self = &engine->strands[strand];
    const vef_worker *own = &engine->processors->workers[strand];
    vef_processor *shared = &engine->processors->processors[own->processor];
    if (!own->bound || self->cpu_ps == begin_ps)
        return;
    if (shared->free_ps > begin_ps) {
        self->times.waiting_ps += shared->free_ps - begin_ps;
        self->cpu_ps += shared->free_ps - begin_ps;
        VEF_REPORT(engine->listeners, waits, strand, self->cpu_ps, self->cpu_ps);
    }
    shared->free_ps = self->cpu_ps;
}

uint64_t vef_processor_overhead(vef_engine *engine, uint32_t strand, uint64_t ps) {
    vef_worker *own = &engine->processors->workers[strand];
    const vef_processor *at = &engine->processors->processors[own->processor];
    uint64_t until = at->overhead_ps;
    if (at->overhead_end > engine->now_ps)
        until -= at->overhead_end - engine->now_ps;
    const uint64_t overhead = until > own->seen_ps ? until - own->seen_ps : 0;
    if (until > own->seen_ps)
        own->seen_ps = until;
    return overhead < ps ? overhead : ps;
}

bool vef_processors_several(const vef_engine *engine, uint32_t task) {
    return engine->processors->processors[task].next != VEF_NO_JOB;
}

uint64_t vef_processors_end(const vef_engine *engine, uint32_t task) {
    const vef_processors *self = engine->processors;
    uint64_t end_ps = 0;
    for (uint32_t i = task; i != VEF_NO_JOB; i = self->processors[i].next)
        if (self->processors[i].free_ps > end_ps)
            end_ps = self->processors[i].free_ps;
    return end_ps;
}
