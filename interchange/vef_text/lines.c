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
#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "interchange/vef_text/vef_text.h"
#include "traces/format/varint.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t usual_delay_ns = 1000, bytes_per_ns = 4;
static const uint32_t none = UINT32_MAX;

/* A message that has been sent and not received; or a send or receive that may be waited for. */
typedef struct open_message {
    bool send, arrived;
    uint64_t key; /* of a receive: what it matches */
    uint64_t id, bytes;
    uint64_t time_ns; /* when it was sent */
    uint32_t next;    /* the next of the same key, or of the free list */
} open_message;

typedef enum blocked_by { BY_NOTHING, BY_RECEIVE, BY_COLLECTIVE, AT_END } blocked_by;

typedef struct runner {
    uint64_t read;    /* bytes of its operations that were read from the spool */
    vef_cursor items; /* in `buffer`: the next ones */
    uint8_t buffer[1024];
    uint64_t now_ns;
    uint64_t settled_ns; /* its last line has begun, and its messages so far have arrived */
    vef_line_dep dep;    /* what it completed last, at `since_ns` */
    uint64_t on, since_ns;
    uint64_t started; /* messages started so far */
    uint64_t *marks;  /* requests that it waits for */
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
    vef_spool *out, *operations;
    char line[10 * 21]; /* at most nine numbers, and a letter */
    size_t line_bytes;
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

static uint32_t take_message(running *run) {
    uint32_t index = run->free_message;
    if (index != none) {
        run->free_message = run->messages[index].next;
        return index;
    }
    if (run->count >= none)
        vef_lost(SIZE_MAX);
    vef_grow(&run->messages, &run->capacity, run->count + 1, sizeof *run->messages);
    return (uint32_t)run->count++;
}

static void free_message(running *run, uint32_t index) {
    run->messages[index].next = run->free_message;
    run->free_message = index;
}

/* Of a message: unique among those under way, since tags are (walk.h). */
static uint64_t key_of(const running *run, uint32_t from, uint32_t to, uint64_t tag) {
    return ((uint64_t)from * run->header->tasks + to) << 31 | tag;
}

static uint64_t opened_key(uint32_t task, uint64_t number) {
    return (uint64_t)task << 40 | (number & ((UINT64_C(1) << 40) - 1));
}

static void wake(running *run, uint32_t task) {
    run->tasks[task].blocked = BY_NOTHING;
    run->ready[run->ready_count++] = task;
}

static void complete_last(runner *state, vef_line_dep dep, uint64_t on, uint64_t since_ns) {
    state->dep = dep;
    state->on = on;
    state->since_ns = since_ns;
}

static void put(running *run, uint64_t number, char after) {
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count > 0)
        run->line[run->line_bytes++] = digits[--count];
    run->line[run->line_bytes++] = after;
}

/* The end of a line. */
static void put_dep(running *run, runner *state, vef_line_kind kind) {
    const bool on_collective = state->dep == VEF_LINE_COLLECTIVE;
    put(run, state->dep, ' ');
    put(run, state->now_ns - state->since_ns, ' ');
    if (state->dep == VEF_LINE_INDEPENDENT || on_collective)
        run->line[run->line_bytes++] = on_collective ? 'G' : '-';
    put(run, state->dep == VEF_LINE_INDEPENDENT ? 1 : state->on, '\n');
    vef_spool_add(run->out, 0, run->line, run->line_bytes);
    run->line_bytes = 0;
    run->found->lines++;
    run->found->other_deps +=
        state->dep == VEF_LINE_RECEIVE || (on_collective && kind == VEF_LINE_MESSAGE);
    state->settled_ns = state->now_ns;
}

/* Remembers the message until it is waited for. */
static void open_one(running *run, uint32_t task, const open_message *made) {
    const uint32_t index = take_message(run);
    run->messages[index] = *made;
    vef_map64_set(&run->opened, opened_key(task, run->tasks[task].started++), index);
}

static void send(running *run, uint32_t task, const vef_item *item) {
    runner *state = &run->tasks[task];
    const uint64_t key = key_of(run, task, (uint32_t)item->a, item->b);
    const open_message sent = {
        .send = true, .id = run->ids++, .bytes = item->c, .time_ns = state->now_ns, .next = none};
    put(run, sent.id, ' ');
    put(run, task, ' ');
    put(run, item->a, ' ');
    put(run, item->c, ' ');
    put_dep(run, state, VEF_LINE_MESSAGE);
    const uint32_t index = take_message(run);
    run->messages[index] = sent;
    const uint64_t *first = vef_map64_get(&run->under_way, key);
    if (first) {
        uint32_t last = (uint32_t)*first;
        while (run->messages[last].next != none)
            last = run->messages[last].next;
        run->messages[last].next = index;
    } else {
        vef_map64_set(&run->under_way, key, index);
    }
    uint64_t waiter;
    if (vef_map64_take(&run->waiters, key, &waiter))
        wake(run, (uint32_t)waiter);
    open_one(run, task, &sent);
}

static void receive(running *run, uint32_t task, const vef_item *item) {
    const open_message posted = {.key = key_of(run, (uint32_t)item->a, task, item->b),
                                 .next = none};
    open_one(run, task, &posted);
}

/* Whether the message of a receive has been sent; then it is the receive's. */
static bool arrive(running *run, uint32_t posted) {
    open_message *to = &run->messages[posted];
    const uint64_t *first = vef_map64_get(&run->under_way, to->key);
    if (to->send || to->arrived)
        return true;
    if (!first)
        return false;
    const uint32_t index = (uint32_t)*first;
    const open_message *sent = &run->messages[index];
    uint64_t former;
    to->arrived = true;
    to->id = sent->id;
    to->bytes = sent->bytes;
    to->time_ns = sent->time_ns;
    if (sent->next == none)
        vef_map64_take(&run->under_way, to->key, &former);
    else
        vef_map64_set(&run->under_way, to->key, sent->next);
    free_message(run, index);
    return true;
}

/* ---- waits ---- */

static uint64_t expected_ns(const open_message *message) {
    return message->time_ns + usual_delay_ns + message->bytes / bytes_per_ns;
}

/* All messages of the wait are complete: chooses what the next line depends on. */
static void choose(running *run, uint32_t task) {
    runner *state = &run->tasks[task];
    open_message last_receive = {0}, last_send = {0};
    uint64_t receives = 0, sends = 0, arrived_ns = 0;
    for (size_t i = 0; i < state->mark_count; i++) {
        uint64_t index;
        if (!vef_map64_take(&run->opened, opened_key(task, state->marks[i]), &index))
            continue;
        const open_message message = run->messages[index];
        free_message(run, (uint32_t)index);
        if (message.send) {
            if (sends++ == 0 || message.time_ns >= last_send.time_ns)
                last_send = message;
        } else if (message.arrived) {
            if (receives++ == 0 || expected_ns(&message) >= expected_ns(&last_receive))
                last_receive = message;
            arrived_ns = message.time_ns > arrived_ns ? message.time_ns : arrived_ns;
        }
    }
    const bool by_receive = receives > 0 && expected_ns(&last_receive) >= state->now_ns;
    const bool by_send = !by_receive && sends > 0 && last_send.time_ns >= state->since_ns;
    state->now_ns = arrived_ns > state->now_ns ? arrived_ns : state->now_ns;
    state->settled_ns = arrived_ns > state->settled_ns ? arrived_ns : state->settled_ns;
    if (by_receive)
        complete_last(state, VEF_LINE_RECEIVE, last_receive.id, last_receive.time_ns);
    else if (by_send)
        complete_last(state, VEF_LINE_SEND, last_send.id, last_send.time_ns);
    run->found->receives_dropped += receives - by_receive;
    run->found->sends_dropped += sends - by_send;
}

/* Goes on with the wait, or is blocked by a message that has not been sent. */
static void try_wait(running *run, uint32_t task) {
    runner *state = &run->tasks[task];
    for (; state->seen < state->mark_count; state->seen++) {
        const uint64_t *index =
            vef_map64_get(&run->opened, opened_key(task, state->marks[state->seen]));
        if (!index || arrive(run, (uint32_t)*index))
            continue;
        state->blocked = BY_RECEIVE;
        vef_map64_set(&run->waiters, run->messages[*index].key, task);
        return;
    }
    choose(run, task);
    state->mark_count = state->seen = 0;
}

/* The next operation of the task; its last one is VEF_ITEM_END. */
static vef_code next_item(running *run, uint32_t task, vef_item *item, vef_error *error) {
    uint64_t *const numbers[] = {&item->a, &item->b, &item->c, &item->d};
    runner *state = &run->tasks[task];
    vef_cursor *from = &state->items;
    const size_t rest = (size_t)(from->end - from->next);
    if (rest < VEF_ITEM_BYTES) {
        const uint64_t left = vef_spool_bytes(run->operations, task) - state->read;
        const size_t room = sizeof state->buffer - rest, part = left < room ? (size_t)left : room;
        memmove(state->buffer, from->next, rest);
        *from = (vef_cursor){.next = state->buffer, .end = state->buffer + rest + part};
        const vef_code code =
            vef_spool_read(run->operations, task, state->read, part, state->buffer + rest, error);
        if (code)
            return code;
        state->read += part;
    }
    *item = (vef_item){.kind = (vef_item_kind)vef_get_varint(from)};
    for (unsigned i = 0; i < vef_item_numbers[item->kind]; i++)
        *numbers[i] = vef_get_varint(from);
    return VEF_OK;
}

static vef_code begin_wait(running *run, uint32_t task, uint64_t count, vef_error *error) {
    runner *state = &run->tasks[task];
    vef_item item = {0};
    vef_grow(&state->marks, &state->mark_capacity, (size_t)count, sizeof *state->marks);
    vef_code code = VEF_OK;
    for (uint64_t i = 0; i < count && !code; i++) {
        code = next_item(run, task, &item, error);
        state->marks[i] = item.a;
    }
    state->mark_count = (size_t)count;
    state->seen = 0;
    return code;
}

/* ---- collectives ---- */

static void leave(running *run, uint32_t comm) {
    const vef_communicator *on = &run->header->communicators[comm];
    gathering *here = &run->gatherings[comm];
    for (uint32_t rank = 0; rank < on->size; rank++) {
        runner *state = &run->tasks[on->members[rank]];
        if (state->blocked != BY_COLLECTIVE || state->comm != comm)
            continue;
        state->now_ns = state->settled_ns = here->time_ns;
        complete_last(state, VEF_LINE_COLLECTIVE, here->id, here->time_ns);
        wake(run, on->members[rank]);
    }
    *here = (gathering){0};
}

static void enter(running *run, uint32_t task, const vef_item *item) {
    const uint32_t comm = (uint32_t)item->a;
    runner *state = &run->tasks[task];
    gathering *here = &run->gatherings[comm];
    if (here->arrived++ == 0)
        here->id = run->collective_ids++;
    here->time_ns = state->now_ns > here->time_ns ? state->now_ns : here->time_ns;
    run->line[run->line_bytes++] = 'G';
    put(run, here->id, ' ');
    put(run, run->numbers[comm], ' ');
    put(run, item->b, ' ');
    put(run, task, ' ');
    put(run, item->c, ' ');
    put(run, item->d, ' ');
    put_dep(run, state, VEF_LINE_GROUP);
    state->blocked = BY_COLLECTIVE;
    state->comm = comm;
    if (here->arrived == run->header->communicators[comm].size)
        leave(run, comm);
}

/* ---- tasks ---- */

static void end(running *run, uint32_t task) {
    runner *state = &run->tasks[task];
    const uint64_t tail_ns = state->now_ns - state->settled_ns;
    run->found->tails += tail_ns > 0;
    if (tail_ns > run->found->longest_tail_ns)
        run->found->longest_tail_ns = tail_ns;
    state->blocked = AT_END;
}

/* Until it is blocked. */
static vef_code run_task(running *run, uint32_t task, vef_error *error) {
    runner *state = &run->tasks[task];
    vef_item item;
    vef_code code = VEF_OK;
    if (state->mark_count > 0)
        try_wait(run, task);
    while (!code && state->blocked == BY_NOTHING) {
        code = next_item(run, task, &item, error);
        if (code)
            break;
        switch (item.kind) {
        case VEF_ITEM_COMPUTE:
            state->now_ns += item.a;
            break;
        case VEF_ITEM_SEND:
            send(run, task, &item);
            break;
        case VEF_ITEM_RECEIVE:
            receive(run, task, &item);
            break;
        case VEF_ITEM_WAIT:
            code = begin_wait(run, task, item.a, error);
            if (!code)
                try_wait(run, task);
            break;
        case VEF_ITEM_COLLECTIVE:
            enter(run, task, &item);
            if (state->blocked == BY_NOTHING)
                return VEF_OK; /* it was the last, and is among the ready ones */
            break;
        case VEF_ITEM_FOR:
        case VEF_ITEM_END:
            end(run, task);
            break;
        }
    }
    return code;
}

/* No task can go on: the first blocked one does, without what it waits for. */
static bool force(running *run) {
    for (uint32_t task = 0; task < run->header->tasks; task++) {
        runner *state = &run->tasks[task];
        if (state->blocked == BY_NOTHING || state->blocked == AT_END)
            continue;
        run->found->forced++;
        if (state->blocked == BY_COLLECTIVE) {
            leave(run, state->comm);
            return true;
        }
        const uint64_t *index =
            vef_map64_get(&run->opened, opened_key(task, state->marks[state->seen]));
        uint64_t former;
        if (index)
            vef_map64_take(&run->waiters, run->messages[*index].key, &former);
        state->seen++;
        wake(run, task);
        return true;
    }
    return false;
}

static vef_code run_all(running *run, vef_error *error) {
    vef_code code = VEF_OK;
    for (uint32_t task = run->header->tasks; task-- > 0;) {
        run->tasks[task].items.next = run->tasks[task].items.end = run->tasks[task].buffer;
        wake(run, task);
    }
    do
        while (run->ready_count > 0 && !code)
            code = run_task(run, run->ready[--run->ready_count], error);
    while (!code && force(run));
    return code;
}

vef_code vef_lines_write(vef_spool *out, vef_spool *operations, const vef_trace_header *header,
                         const uint32_t *numbers, vef_lines_summary *summary, vef_error *error) {
    running run = {.out = out,
                   .operations = operations,
                   .header = header,
                   .numbers = numbers,
                   .found = summary,
                   .free_message = none,
                   .tasks = vef_calloc(header->tasks, sizeof *run.tasks),
                   .gatherings = vef_calloc(header->communicator_count, sizeof *run.gatherings),
                   .ready = vef_calloc(header->tasks, sizeof *run.ready)};
    vef_code code = run_all(&run, error);
    for (uint32_t task = 0; task < header->tasks; task++)
        free(run.tasks[task].marks);
    free(run.tasks);
    free(run.gatherings);
    free(run.ready);
    free(run.messages);
    vef_map64_free(&run.under_way);
    vef_map64_free(&run.waiters);
    vef_map64_free(&run.opened);
    return code;
}
