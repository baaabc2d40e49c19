/* The event loop of LogGOPS: see loggops.h. At any time the first event in the order of (time,
 * number) is tried; what it needs is free, or it is tried again when that is free. */
#include "tests/replay/loggops.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

enum { EVENTS = 2 * LOGGOPS_RANKS * LOGGOPS_STATEMENTS };

typedef struct event {
    bool waits, message;
    unsigned rank, index; /* a statement; of a message: its send */
    uint64_t time, number;
} event;

typedef struct state {
    bool ready, started, done, queued;
    uint64_t start, end; /* when those that irequire, or require, it may start */
} state;

typedef struct simulation {
    const loggops_schedule *schedule;
    const loggops_parameters *p;
    event events[EVENTS];
    unsigned event_count;
    uint64_t numbers;
    state states[LOGGOPS_RANKS][LOGGOPS_STATEMENTS];
    bool posted[LOGGOPS_RANKS][LOGGOPS_STATEMENTS];  /* receives */
    bool arrived[LOGGOPS_RANKS][LOGGOPS_STATEMENTS]; /* sends: their message was not expected */
    uint64_t cpu[LOGGOPS_RANKS][LOGGOPS_CPUS];
    uint64_t out[LOGGOPS_RANKS][LOGGOPS_CPUS], in[LOGGOPS_RANKS][LOGGOPS_CPUS];
} simulation;

static uint64_t later(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Statements of the rank whose dependencies have come true become events: sends, then receives,
 * then calcs. */
static void release(simulation *self, unsigned rank) {
    for (const char *kind = "src"; *kind; kind++)
        for (unsigned i = 0; i < self->schedule->counts[rank]; i++) {
            const loggops_statement *statement = &self->schedule->statements[rank][i];
            state *current = &self->states[rank][i];
            uint64_t from = 0;
            bool ready = statement->kind == *kind && !current->queued;
            for (unsigned k = 0; k < LOGGOPS_NEEDS && ready; k++) {
                const state *on = &self->states[rank][statement->needs[k]];
                if (statement->how[k] == 0)
                    continue;
                ready = statement->how[k] == 's' ? on->started : on->done;
                from = later(from, statement->how[k] == 's' ? on->start : on->end);
            }
            if (!ready)
                continue;
            current->queued = true;
            self->events[self->event_count++] =
                (event){.waits = true,
                        .rank = rank,
                        .index = i,
                        .time = later(from, self->cpu[rank][statement->cpu]),
                        .number = self->numbers++};
        }
}

static void finish(simulation *self, unsigned rank, unsigned index, uint64_t end) {
    self->states[rank][index].done = true;
    self->states[rank][index].end = end;
}

/* The receive of a send, or the send of a receive; every tag is used once. */
static unsigned partner(const simulation *self, unsigned rank, unsigned index) {
    const loggops_statement *own = &self->schedule->statements[rank][index];
    for (unsigned i = 0; i < self->schedule->counts[own->peer]; i++) {
        const loggops_statement *other = &self->schedule->statements[own->peer][i];
        if (other->kind != 'c' && other->kind != own->kind && other->tag == own->tag)
            return i;
    }
    fail_msg("tag %u has one side", own->tag);
    return 0;
}

/* The message of a rendezvous has matched: the sender goes on. */
static void release_sender(simulation *self, unsigned rank, unsigned index, uint64_t time) {
    const loggops_statement *send = &self->schedule->statements[rank][index];
    if (send->size <= self->p->S)
        return;
    finish(self, rank, index, time);
    self->cpu[rank][send->cpu] = later(self->cpu[rank][send->cpu], time);
    self->out[rank][send->nic] = later(self->out[rank][send->nic], time);
}

static uint64_t possible(const simulation *self, const event *tried) {
    const loggops_statement *statement = &self->schedule->statements[tried->rank][tried->index];
    const unsigned cpu = statement->cpu, nic = statement->nic, rank = tried->rank;
    if (tried->message)
        return later(self->cpu[statement->peer][cpu], self->in[statement->peer][nic]);
    return statement->kind == 's'   ? later(self->cpu[rank][cpu], self->out[rank][nic])
           : statement->kind == 'c' ? self->cpu[rank][cpu]
                                    : 0;
}

static void arrive(simulation *self, const event *ran) {
    const loggops_parameters *p = self->p;
    const loggops_statement *send = &self->schedule->statements[ran->rank][ran->index];
    const uint64_t more = send->size - 1, end = ran->time + p->o + later(more * p->O, more * p->G);
    const unsigned receive = partner(self, ran->rank, ran->index);
    self->cpu[send->peer][send->cpu] = end;
    self->in[send->peer][send->nic] = ran->time + p->g + more * p->G;
    if (!self->posted[send->peer][receive]) {
        self->arrived[ran->rank][ran->index] = true;
        return;
    }
    finish(self, send->peer, receive, end);
    release_sender(self, ran->rank, ran->index, ran->time);
}

static void execute(simulation *self, const event *ran) {
    const loggops_parameters *p = self->p;
    const unsigned rank = ran->rank, index = ran->index;
    const loggops_statement *statement = &self->schedule->statements[rank][index];
    state *current = &self->states[rank][index];
    const uint64_t more = statement->size - 1;
    current->started = true;
    current->start = ran->time;
    if (statement->kind == 'c') {
        self->cpu[rank][statement->cpu] = ran->time + statement->size;
        finish(self, rank, index, ran->time + statement->size);
    } else if (statement->kind == 's') {
        const uint64_t end = ran->time + p->o + more * p->O;
        self->cpu[rank][statement->cpu] = current->start = end;
        self->out[rank][statement->nic] = ran->time + p->g + more * p->G;
        self->events[self->event_count++] = (event){.waits = true,
                                                    .message = true,
                                                    .rank = rank,
                                                    .index = index,
                                                    .time = ran->time + p->o + p->L,
                                                    .number = self->numbers++};
        if (statement->size <= p->S)
            finish(self, rank, index, end);
    } else if (self->arrived[statement->peer][partner(self, rank, index)]) {
        finish(self, rank, index, ran->time);
        release_sender(self, statement->peer, partner(self, rank, index), ran->time);
    } else {
        self->posted[rank][index] = true;
    }
}

static event *first_event(simulation *self) {
    event *first = NULL;
    for (unsigned i = 0; i < self->event_count; i++) {
        event *other = &self->events[i];
        if (other->waits && (!first || other->time < first->time ||
                             (other->time == first->time && other->number < first->number)))
            first = other;
    }
    return first;
}

bool loggops_simulate(const loggops_schedule *schedule, const loggops_parameters *parameters,
                      uint64_t *ends) {
    static simulation self; /* too large for a stack */
    bool complete = true;
    event *tried;
    memset(&self, 0, sizeof self);
    self.schedule = schedule;
    self.p = parameters;
    for (unsigned rank = 0; rank < schedule->ranks; rank++)
        release(&self, rank);
    while ((tried = first_event(&self))) {
        if (possible(&self, tried) > tried->time) {
            tried->time = possible(&self, tried);
            continue;
        }
        tried->waits = false;
        if (tried->message)
            arrive(&self, tried);
        else
            execute(&self, tried);
        for (unsigned rank = 0; rank < schedule->ranks; rank++)
            release(&self, rank);
    }
    for (unsigned rank = 0; rank < schedule->ranks; rank++) {
        ends[rank] = 0;
        for (unsigned cpu = 0; cpu < LOGGOPS_CPUS; cpu++)
            ends[rank] = later(ends[rank], self.cpu[rank][cpu]);
        for (unsigned i = 0; i < schedule->counts[rank]; i++)
            complete = complete && self.states[rank][i].done;
    }
    return complete;
}

void loggops_write(const loggops_schedule *schedule, const char *path) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks %u\n", schedule->ranks);
    for (unsigned rank = 0; rank < schedule->ranks; rank++) {
        fprintf(out, "rank %u {\n", rank);
        for (unsigned i = 0; i < schedule->counts[rank]; i++) {
            const loggops_statement *current = &schedule->statements[rank][i];
            if (current->kind == 'c')
                fprintf(out, "n%u: calc %llu", i, (unsigned long long)current->size);
            else
                fprintf(out, "n%u: %s %llub %s %u tag %u", i,
                        current->kind == 's' ? "send" : "recv", (unsigned long long)current->size,
                        current->kind == 's' ? "to" : "from", current->peer, current->tag);
            if (current->cpu)
                fprintf(out, " cpu %u", current->cpu);
            if (current->nic && current->kind != 'c')
                fprintf(out, " nic %u", current->nic);
            fputc('\n', out);
        }
        for (unsigned i = 0; i < schedule->counts[rank]; i++)
            for (unsigned k = 0; k < LOGGOPS_NEEDS; k++)
                if (schedule->statements[rank][i].how[k])
                    fprintf(out, "n%u %s n%u\n", i,
                            schedule->statements[rank][i].how[k] == 's' ? "irequires" : "requires",
                            schedule->statements[rank][i].needs[k]);
        fputs("}\n", out);
    }
    assert_int_equal(fclose(out), 0);
}
