/* Choosing the dependency of each line, and writing the lines: see vef_text.h.
 *
 * A program waits for several things before a line, but a line has one dependency. So the
 * operations are run on a network without delays: a task goes on until it waits for a message that
 * has not been sent, or for a collective that not all members have entered. A line depends on what
 * its task completed last there, and `time` is the rest: the computation since, and how long a
 * message had been there before the task waited for it. On a network without delays the lines
 * therefore take exactly as long as the program.
 *
 * On a real network messages arrive later. So among the receives of a wait the line depends on the
 * one that arrives last if each takes 1 us and 0.25 ns a byte (32 Gbit/s); and on none of them if
 * all have arrived by then, that is if the task comes late by more than a network delays it.
 *
 * Lines are written in an order in which each comes after those it depends on. */
#include "common/grow.h"
#include "common/map64.h"
#include "common/memory.h"
#include "interchange/vef_text/vef_text.h"

#include <inttypes.h>
#include <stdlib.h>

static const uint64_t usual_delay_ns = 1000, bytes_per_ns = 4;
static const uint32_t none = UINT32_MAX;

/* A message that has been sent and not received; or a send or receive that may be waited for. */
typedef struct open_message {
    bool send, arrived;
    uint64_t key; /* of a receive: what it matches */
    uint64_t id, bytes;
    uint64_t time_ns; /* when it was sent */
    uint32_t next;    /* of the same key; also the free list */
} open_message;

typedef enum blocked_by { BY_NOTHING, BY_RECEIVE, BY_COLLECTIVE, AT_END } blocked_by;

typedef struct runner {
    uint64_t read;         /* bytes of its operations, from the spool, */
    uint32_t used, filled; /* and of the last ones, in the buffer */
    uint8_t buffer[1024];
    uint64_t now_ns;
    vef_line_dep dep; /* what it completed last, at `since_ns` */
    uint64_t on, since_ns;
    uint64_t started; /* messages */
    uint64_t *marks;  /* that it waits for */
    size_t mark_count, mark_capacity, seen;
    blocked_by blocked;
    uint32_t comm; /* of the collective */
} runner;

/* The collective under way on a communicator: members leave together. */
typedef struct gathering {
    uint32_t arrived;
    uint64_t id, time_ns;
} gathering;

typedef struct running {
    FILE *out;
    vef_spool *spool;
    const vef_trace_header *header;
    const uint32_t *numbers;
    vef_lines_summary *found;
    runner *tasks;
    gathering *gatherings; /* per communicator of the trace */
    open_message *messages;
    size_t capacity, count;
    uint32_t free_message;
    vef_map64 under_way; /* key → first message */
    vef_map64 waiters;   /* key → task */
    vef_map64 opened;    /* task and number → its send or receive */
    uint32_t *ready;     /* tasks that go on; each at most once */
    size_t ready_count;
    uint64_t ids, collective_ids;
} running;

/* ---- messages ---- */

static uint32_t take_message(running *self) {
    uint32_t index = self->free_message;
    if (index != none) {
        self->free_message = self->messages[index].next;
        return index;
    }
    if (self->count >= none)
        vef_lost(SIZE_MAX);
    vef_grow(&self->messages, &self->capacity, self->count + 1, sizeof *self->messages);
    return (uint32_t)self->count++;
}

static void free_message(running *self, uint32_t index) {
    self->messages[index].next = self->free_message;
    self->free_message = index;
}

/* Of a message: unique among those under way, since tags are (walk.h). */
static uint64_t key_of(const running *self, uint32_t from, uint32_t to, uint64_t tag) {
    return ((uint64_t)from * self->header->tasks + to) << 31 | tag;
}

static uint64_t opened_key(uint32_t task, uint64_t number) {
    return (uint64_t)task << 40 | (number & ((UINT64_C(1) << 40) - 1));
}

static void wake(running *self, uint32_t task) {
    self->tasks[task].blocked = BY_NOTHING;
    self->ready[self->ready_count++] = task;
}

static void complete_last(runner *at, vef_line_dep dep, uint64_t on, uint64_t since_ns) {
    at->dep = dep;
    at->on = on;
    at->since_ns = since_ns;
}

static void put_dep(running *self, const runner *at) {
    fprintf(self->out, " %d %" PRIu64 " %" PRIu64 "\n", (int)at->dep, at->now_ns - at->since_ns,
            at->on);
    self->found->lines++;
}

/* Remembers the message until it is waited for. */
static void open_one(running *self, uint32_t task, const open_message *made) {
    const uint32_t index = take_message(self);
    self->messages[index] = *made;
    vef_map64_set(&self->opened, opened_key(task, self->tasks[task].started++), index);
}

static void send(running *self, uint32_t task, const vef_item *item) {
    runner *at = &self->tasks[task];
    const uint64_t key = key_of(self, task, (uint32_t)item->a, item->b);
    const open_message sent = {
        .send = true, .id = self->ids++, .bytes = item->c, .time_ns = at->now_ns, .next = none};
    fprintf(self->out, "%" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64, sent.id, task, item->a,
            item->c);
    put_dep(self, at);
    const uint32_t index = take_message(self);
    self->messages[index] = sent;
    const uint64_t *first = vef_map64_get(&self->under_way, key);
    if (first) {
        uint32_t last = (uint32_t)*first;
        while (self->messages[last].next != none)
            last = self->messages[last].next;
        self->messages[last].next = index;
    } else {
        vef_map64_set(&self->under_way, key, index);
    }
    uint64_t waiter;
    if (vef_map64_take(&self->waiters, key, &waiter))
        wake(self, (uint32_t)waiter);
    open_one(self, task, &sent);
}

static void receive(running *self, uint32_t task, const vef_item *item) {
    const open_message posted = {.key = key_of(self, (uint32_t)item->a, task, item->b),
                                 .next = none};
    open_one(self, task, &posted);
}

/* Whether the message of a receive has been sent; then it is the receive's. */
static bool arrive(running *self, uint32_t posted) {
    open_message *to = &self->messages[posted];
    const uint64_t *first = vef_map64_get(&self->under_way, to->key);
    if (to->send || to->arrived)
        return true;
    if (!first)
        return false;
    const uint32_t index = (uint32_t)*first;
    const open_message *sent = &self->messages[index];
    uint64_t former;
    to->arrived = true;
    to->id = sent->id;
    to->bytes = sent->bytes;
    to->time_ns = sent->time_ns;
    if (sent->next == none)
        vef_map64_take(&self->under_way, to->key, &former);
    else
        vef_map64_set(&self->under_way, to->key, sent->next);
    free_message(self, index);
    return true;
}

/* ---- waits ---- */

static uint64_t expected_ns(const open_message *message) {
    return message->time_ns + usual_delay_ns + message->bytes / bytes_per_ns;
}

/* All messages of the wait are complete: chooses what the next line depends on. */
static void choose(running *self, uint32_t task) {
    runner *at = &self->tasks[task];
    open_message last_receive = {0}, last_send = {0};
    uint64_t receives = 0, sends = 0, until_ns = at->now_ns;
    for (size_t i = 0; i < at->mark_count; i++) {
        uint64_t index;
        if (!vef_map64_take(&self->opened, opened_key(task, at->marks[i]), &index))
            continue;
        const open_message message = self->messages[index];
        free_message(self, (uint32_t)index);
        if (message.send) {
            if (sends++ == 0 || message.time_ns >= last_send.time_ns)
                last_send = message;
        } else if (message.arrived) {
            if (receives++ == 0 || expected_ns(&message) >= expected_ns(&last_receive))
                last_receive = message;
            until_ns = message.time_ns > until_ns ? message.time_ns : until_ns;
        }
    }
    const bool by_receive = receives > 0 && expected_ns(&last_receive) >= at->now_ns;
    const bool by_send = !by_receive && sends > 0 && last_send.time_ns >= at->since_ns;
    at->now_ns = until_ns;
    if (by_receive)
        complete_last(at, VEF_LINE_RECEIVE, last_receive.id, last_receive.time_ns);
    else if (by_send)
        complete_last(at, VEF_LINE_SEND, last_send.id, last_send.time_ns);
    self->found->receives_dropped += receives - by_receive;
    self->found->sends_dropped += sends - by_send;
}

/* Goes on with the wait, or is blocked by a message that has not been sent. */
static void try_wait(running *self, uint32_t task) {
    runner *at = &self->tasks[task];
    for (; at->seen < at->mark_count; at->seen++) {
        const uint64_t *index = vef_map64_get(&self->opened, opened_key(task, at->marks[at->seen]));
        if (!index || arrive(self, (uint32_t)*index))
            continue;
        at->blocked = BY_RECEIVE;
        vef_map64_set(&self->waiters, self->messages[*index].key, task);
        return;
    }
    choose(self, task);
    at->mark_count = at->seen = 0;
}

static uint8_t next_byte(running *self, uint32_t task, vef_code *code, vef_error *error) {
    runner *at = &self->tasks[task];
    if (at->used == at->filled) {
        const uint64_t left = vef_spool_bytes(self->spool, task) - at->read;
        at->filled = left < sizeof at->buffer ? (uint32_t)left : sizeof at->buffer;
        at->used = 0;
        *code = vef_spool_read(self->spool, task, at->read, at->filled, at->buffer, error);
        at->read += at->filled;
        if (*code || at->filled == 0)
            return 0;
    }
    return at->buffer[at->used++];
}

/* The next operation of the task; its last one is VEF_ITEM_END. */
static vef_code next_item(running *self, uint32_t task, vef_item *item, vef_error *error) {
    uint64_t *const numbers[] = {&item->a, &item->b, &item->c, &item->d};
    vef_code code = VEF_OK;
    *item = (vef_item){.kind = (vef_item_kind)next_byte(self, task, &code, error)};
    for (unsigned i = 0; i < vef_item_numbers[item->kind] && !code; i++) {
        uint8_t byte = 0x80;
        for (unsigned shift = 0; byte & 0x80 && shift < 64 && !code; shift += 7) {
            byte = next_byte(self, task, &code, error);
            *numbers[i] |= (uint64_t)(byte & 0x7f) << shift;
        }
    }
    return code;
}

static vef_code begin_wait(running *self, uint32_t task, uint64_t count, vef_error *error) {
    runner *at = &self->tasks[task];
    vef_item item = {0};
    vef_grow(&at->marks, &at->mark_capacity, (size_t)count, sizeof *at->marks);
    vef_code code = VEF_OK;
    for (uint64_t i = 0; i < count && !code; i++) {
        code = next_item(self, task, &item, error);
        at->marks[i] = item.a;
    }
    at->mark_count = (size_t)count;
    at->seen = 0;
    return code;
}

/* ---- collectives ---- */

static void leave(running *self, uint32_t comm) {
    const vef_communicator *on = &self->header->communicators[comm];
    gathering *here = &self->gatherings[comm];
    for (uint32_t rank = 0; rank < on->size; rank++) {
        runner *at = &self->tasks[on->members[rank]];
        if (at->blocked != BY_COLLECTIVE || at->comm != comm)
            continue;
        at->now_ns = here->time_ns;
        complete_last(at, VEF_LINE_COLLECTIVE, here->id, here->time_ns);
        wake(self, on->members[rank]);
    }
    *here = (gathering){0};
}

static void enter(running *self, uint32_t task, const vef_item *item) {
    const uint32_t comm = (uint32_t)item->a;
    const vef_communicator *on = &self->header->communicators[comm];
    const vef_line_operation *operation = &vef_line_operations[item->b];
    runner *at = &self->tasks[task];
    gathering *here = &self->gatherings[comm];
    if (here->arrived++ == 0)
        here->id = self->collective_ids++;
    here->time_ns = at->now_ns > here->time_ns ? at->now_ns : here->time_ns;
    const bool is_root = item->d > 0 && on->members[item->d - 1] == task;
    self->found->roots_dropped += is_root && item->d > 1 && item->c == 0;
    fprintf(self->out, "G%" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %" PRIu64,
            here->id, self->numbers[comm], item->b, task,
            vef_line_share_of(operation->sends, item->c, on->size, is_root),
            vef_line_share_of(operation->receives, item->c, on->size, is_root));
    put_dep(self, at);
    at->blocked = BY_COLLECTIVE;
    at->comm = comm;
    if (here->arrived == on->size)
        leave(self, comm);
}

/* ---- tasks ---- */

static void end(running *self, uint32_t task) {
    runner *at = &self->tasks[task];
    fprintf(self->out, "# end %" PRIu32, task);
    put_dep(self, at);
    at->blocked = AT_END;
}

/* Until it is blocked. */
static vef_code run_task(running *self, uint32_t task, vef_error *error) {
    runner *at = &self->tasks[task];
    vef_item item;
    vef_code code = VEF_OK;
    if (at->mark_count > 0)
        try_wait(self, task);
    while (!code && at->blocked == BY_NOTHING) {
        code = next_item(self, task, &item, error);
        if (code)
            break;
        switch (item.kind) {
        case VEF_ITEM_COMPUTE:
            at->now_ns += item.a;
            break;
        case VEF_ITEM_SEND:
            send(self, task, &item);
            break;
        case VEF_ITEM_RECEIVE:
            receive(self, task, &item);
            break;
        case VEF_ITEM_WAIT:
            code = begin_wait(self, task, item.a, error);
            if (!code)
                try_wait(self, task);
            break;
        case VEF_ITEM_COLLECTIVE:
            enter(self, task, &item);
            if (at->blocked == BY_NOTHING)
                return VEF_OK; /* it was the last, and is among the ready ones */
            break;
        case VEF_ITEM_FOR:
        case VEF_ITEM_END:
            end(self, task);
            break;
        }
    }
    return code;
}

/* No task can go on: the first blocked one does, without what it waits for. */
static bool force(running *self) {
    for (uint32_t task = 0; task < self->header->tasks; task++) {
        runner *at = &self->tasks[task];
        if (at->blocked == BY_NOTHING || at->blocked == AT_END)
            continue;
        self->found->forced++;
        if (at->blocked == BY_COLLECTIVE) {
            leave(self, at->comm);
            return true;
        }
        const uint64_t *index = vef_map64_get(&self->opened, opened_key(task, at->marks[at->seen]));
        uint64_t former;
        if (index)
            vef_map64_take(&self->waiters, self->messages[*index].key, &former);
        at->seen++;
        wake(self, task);
        return true;
    }
    return false;
}

static vef_code run_all(running *self, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = self->header->tasks; task-- > 0;)
        wake(self, task);
    do
        while (self->ready_count > 0 && !code)
            code = run_task(self, self->ready[--self->ready_count], error);
    while (!code && force(self));
    return code;
}

vef_code vef_lines_write(FILE *out, vef_spool *spool, const vef_trace_header *header,
                         const uint32_t *numbers, vef_lines_summary *summary, vef_error *error) {
    running self = {.out = out,
                    .spool = spool,
                    .header = header,
                    .numbers = numbers,
                    .found = summary,
                    .free_message = none,
                    .tasks = vef_calloc(header->tasks, sizeof *self.tasks),
                    .gatherings = vef_calloc(header->communicator_count, sizeof *self.gatherings),
                    .ready = vef_calloc(header->tasks, sizeof *self.ready)};
    vef_code code = run_all(&self, error);
    for (uint32_t task = 0; task < header->tasks; task++)
        free(self.tasks[task].marks);
    free(self.tasks);
    free(self.gatherings);
    free(self.ready);
    free(self.messages);
    vef_map64_free(&self.under_way);
    vef_map64_free(&self.waiters);
    vef_map64_free(&self.opened);
    return code;
}
