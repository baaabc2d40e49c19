/* The interpreter of plans; see plan_run.h. */
#include "tests/replay/plan_run.h"

#include "traces/event.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = UINT32_MAX };

/* A place in the data where some block begins or ends. Segment i reaches from place i to i + 1. */
typedef struct place {
    uint32_t piece;
    uint64_t offset_bytes;
} place;

typedef struct message {
    uint32_t from, send_step, to, receive_step;
    bool sent, taken;
    uint32_t sent_round; /* when it arrives */
    rank_set heard;
    rank_set *content; /* of its segments, in the order of its blocks */
    uint32_t *segments;
    uint32_t segment_count;
} message;

typedef struct step_state {
    uint32_t message; /* of a send or receive */
    bool done, staged;
    uint32_t round; /* prefix maximum, once all before are done */
    uint32_t end_round;
} step_state;

typedef struct task {
    const vef_plan *plan;
    step_state *steps;
    uint32_t complete; /* the first steps, this many, are */
    uint32_t *staged;  /* message from each peer that waits to be combined */
    rank_set *data;    /* per segment */
    bool *spoilt;      /* per segment: combined out of order; must not be used any more */
    rank_set heard;
} task;

typedef struct plan_run {
    plan_world *world;
    const collective_case *one;
    int how;
    bool with_data;
    task *tasks;
    message *messages;
    uint32_t message_count;
    place *places;
    uint32_t place_count;
    uint32_t *where; /* segment → position in a message */
} plan_run;

static bool fault(plan_world *world, const char *format, ...) __attribute__((format(printf, 2, 3)));

static bool fault(plan_world *world, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(world->fault, sizeof world->fault, format, arguments);
    va_end(arguments);
    return false;
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    assert(memory);
    return memory;
}

/* What every plan must keep to by itself. */
static bool check_plan(plan_world *world, const collective_case *one, uint32_t rank) {
    const vef_plan *plan = &world->plans[rank];
    uint32_t after = 0;
    for (uint32_t i = 0; i < plan->count; i++) {
        const vef_step *step = &plan->steps[i];
        if (step->after > i || step->after < after)
            return fault(world, "rank %u step %u: after %u", rank, i, step->after);
        after = step->after;
        if (step->peer >= world->size || step->peer == rank)
            return fault(world, "rank %u step %u: peer %u", rank, i, step->peer);
        if (!plan->note_blocks || collective_pieces(&one->calls[rank]) == 0)
            continue;
        uint64_t bytes = 0;
        for (uint32_t b = 0; b < step->block_count; b++) {
            const vef_plan_block *block = &plan->blocks[step->first_block + b];
            if (block->piece >= collective_pieces(&one->calls[rank]) ||
                block->begin_bytes >= block->end_bytes ||
                block->end_bytes > collective_piece_bytes(one, block->piece))
                return fault(world, "rank %u step %u: block %u", rank, i, b);
            bytes += block->end_bytes - block->begin_bytes;
        }
        bool copy = step->kind == VEF_STEP_REDUCE && step->bytes == 0;
        if (bytes != step->bytes && !copy)
            return fault(world, "rank %u step %u: %llu bytes, but %llu in its blocks", rank, i,
                         (unsigned long long)step->bytes, (unsigned long long)bytes);
        const vef_collective *call = &one->calls[0];
        const uint64_t element = call->elements == 0 ? 1
                                 : one->matrix       ? 8
                                                     : call->bytes / call->elements;
        if (step->kind == VEF_STEP_REDUCE && step->bytes % element)
            return fault(world, "rank %u step %u: a broken element", rank, i);
    }
    return true;
}

bool plan_world_make(plan_world *world, vef_tuned choice, const collective_case *one,
                     bool with_data) {
    world->size = one->size;
    world->fault[0] = '\0';
    if (world->plans_capacity < one->size) {
        world->plans = realloc(world->plans, one->size * sizeof *world->plans);
        assert(world->plans);
        memset(world->plans + world->plans_capacity, 0,
               (one->size - world->plans_capacity) * sizeof *world->plans);
        world->plans_capacity = one->size;
    }
    for (uint32_t r = 0; r < one->size; r++) {
        vef_error error;
        world->plans[r].note_blocks = with_data && one->size <= RANK_SET_LIMIT;
        if (vef_plan_make(choice, &one->calls[r], &world->plans[r], &error) != VEF_OK)
            return fault(world, "%.200s", error.message);
        if (!check_plan(world, one, r))
            return false;
    }
    return true;
}

void plan_world_free(plan_world *world) {
    for (uint32_t r = 0; r < world->plans_capacity; r++)
        vef_plan_release(&world->plans[r]);
    free(world->plans);
    *world = (plan_world){0};
}

/* Ties the n-th send from a to b to the n-th receive of b from a. */
static bool match(plan_run *run) {
    plan_world *world = run->world;
    uint32_t size = world->size, found = 0;
    uint32_t *head = zeroed((size_t)size * size, sizeof *head), *next = NULL, *tail = NULL;
    size_t sends = 0;
    for (uint32_t r = 0; r < size; r++)
        for (size_t i = 0; i < world->plans[r].count; i++)
            sends += world->plans[r].steps[i].kind == VEF_STEP_SEND;
    run->messages = zeroed(sends, sizeof *run->messages);
    next = zeroed(sends, sizeof *next);
    tail = zeroed((size_t)size * size, sizeof *tail);
    for (size_t i = 0; i < (size_t)size * size; i++)
        head[i] = tail[i] = NONE;
    for (uint32_t r = 0; r < size; r++)
        for (uint32_t i = 0; i < world->plans[r].count; i++) {
            const vef_step *step = &world->plans[r].steps[i];
            if (step->kind != VEF_STEP_SEND)
                continue;
            size_t pair = (size_t)r * size + step->peer;
            uint32_t m = run->message_count++;
            run->messages[m] =
                (message){.from = r, .send_step = i, .to = step->peer, .receive_step = NONE};
            run->tasks[r].steps[i].message = next[m] = m;
            next[m] = NONE;
            if (head[pair] == NONE)
                head[pair] = m;
            else
                next[tail[pair]] = m;
            tail[pair] = m;
        }
    bool right = true;
    for (uint32_t r = 0; right && r < size; r++)
        for (uint32_t i = 0; right && i < world->plans[r].count; i++) {
            const vef_step *step = &world->plans[r].steps[i];
            if (step->kind != VEF_STEP_RECEIVE)
                continue;
            size_t pair = (size_t)step->peer * size + r;
            uint32_t m = head[pair];
            if (m == NONE) {
                right = fault(world, "rank %u step %u: nothing sent by %u", r, i, step->peer);
                break;
            }
            head[pair] = next[m];
            run->messages[m].receive_step = i;
            run->tasks[r].steps[i].message = m;
            found++;
        }
    if (right && found != run->message_count)
        right = fault(world, "%u messages sent, %u received", run->message_count, found);
    free(head);
    free(next);
    free(tail);
    return right;
}

/* A receive waits aside when a reduction takes it before the next receive from that peer. */
static void find_staged(plan_run *run, uint32_t rank) {
    task *self = &run->tasks[rank];
    bool *reduced = zeroed(run->world->size, sizeof *reduced);
    for (size_t i = self->plan->count; i-- > 0;) {
        const vef_step *step = &self->plan->steps[i];
        if (step->kind == VEF_STEP_REDUCE)
            reduced[step->peer] = true;
        if (step->kind == VEF_STEP_RECEIVE) {
            self->steps[i].staged = reduced[step->peer];
            reduced[step->peer] = false;
        }
    }
    free(reduced);
}

static int compare_places(const void *left, const void *right) {
    const place *a = left, *b = right;
    if (a->piece != b->piece)
        return a->piece < b->piece ? -1 : 1;
    return a->offset_bytes < b->offset_bytes ? -1 : a->offset_bytes > b->offset_bytes;
}

/* Scans: piece 1, their result, takes what is received of piece 0. */
static bool has_result(const collective_case *one) {
    return one->calls[0].call == VEF_CALL_Scan || one->calls[0].call == VEF_CALL_Exscan;
}

/* All places, sorted, each once. The two pieces of a scan are cut alike. */
static void cut_data(plan_run *run) {
    const collective_case *one = run->one;
    uint32_t pieces = collective_pieces(&one->calls[0]);
    size_t room = 2 * (size_t)pieces, count = 0;
    for (uint32_t r = 0; r < one->size; r++)
        room += 4 * run->world->plans[r].blocks_used;
    run->places = zeroed(room, sizeof *run->places);
    for (uint32_t p = 0; p < pieces; p++) {
        run->places[count++] = (place){p, 0};
        run->places[count++] = (place){p, collective_piece_bytes(one, p)};
    }
    for (uint32_t r = 0; r < one->size; r++)
        for (size_t b = 0; b < run->world->plans[r].blocks_used; b++) {
            const vef_plan_block *block = &run->world->plans[r].blocks[b];
            run->places[count++] = (place){block->piece, block->begin_bytes};
            run->places[count++] = (place){block->piece, block->end_bytes};
            if (!has_result(one))
                continue;
            run->places[count++] = (place){1 - block->piece, block->begin_bytes};
            run->places[count++] = (place){1 - block->piece, block->end_bytes};
        }
    qsort(run->places, count, sizeof *run->places, compare_places);
    for (size_t i = 0; i < count; i++)
        if (run->place_count == 0 ||
            compare_places(&run->places[run->place_count - 1], &run->places[i]) != 0)
            run->places[run->place_count++] = run->places[i];
    run->where = zeroed(run->place_count, sizeof *run->where);
}

static uint32_t place_of(const plan_run *run, uint32_t piece, uint64_t offset_bytes) {
    place key = {piece, offset_bytes};
    const place *found = bsearch(&key, run->places, run->place_count, sizeof key, compare_places);
    assert(found);
    return (uint32_t)(found - run->places);
}

/* The segments of a step's blocks, in their order; allocated. */
static uint32_t *segments_of(const plan_run *run, const vef_plan *plan, const vef_step *step,
                             uint32_t *count) {
    uint32_t room = 0, used = 0;
    for (uint32_t b = 0; b < step->block_count; b++) {
        const vef_plan_block *block = &plan->blocks[step->first_block + b];
        room += place_of(run, block->piece, block->end_bytes) -
                place_of(run, block->piece, block->begin_bytes);
    }
    uint32_t *list = zeroed(room, sizeof *list);
    for (uint32_t b = 0; b < step->block_count; b++) {
        const vef_plan_block *block = &plan->blocks[step->first_block + b];
        uint32_t end = place_of(run, block->piece, block->end_bytes);
        for (uint32_t s = place_of(run, block->piece, block->begin_bytes); s < end; s++)
            list[used++] = s;
    }
    *count = used;
    return list;
}

static void start_data(plan_run *run) {
    const collective_case *one = run->one;
    for (uint32_t r = 0; r < one->size; r++) {
        run->tasks[r].data = zeroed(run->place_count, sizeof(rank_set));
        run->tasks[r].spoilt = zeroed(run->place_count, sizeof(bool));
        for (uint32_t s = 0; s < run->place_count; s++)
            run->tasks[r].data[s] = collective_before(&one->calls[r], run->places[s].piece,
                                                      run->places[s].offset_bytes);
    }
}

/* Reads what a message carries, at the time of the call. */
static bool load(plan_run *run, uint32_t rank, uint32_t index, message *m) {
    task *self = &run->tasks[rank];
    m->heard = self->heard;
    if (!run->with_data)
        return true;
    m->segments = segments_of(run, self->plan, &self->plan->steps[index], &m->segment_count);
    m->content = zeroed(m->segment_count, sizeof *m->content);
    for (uint32_t k = 0; k < m->segment_count; k++) {
        m->content[k] = self->data[m->segments[k]];
        if (m->content[k] == 0)
            return fault(run->world, "rank %u step %u sends what it has not", rank, index);
        if (self->spoilt[m->segments[k]])
            return fault(run->world, "rank %u step %u sends what was combined out of order", rank,
                         index);
    }
    return true;
}

static bool deliver(plan_run *run, uint32_t rank, uint32_t index, message *m) {
    task *self = &run->tasks[rank];
    const vef_step *step = &self->plan->steps[index];
    self->heard |= m->heard;
    m->taken = true;
    self->steps[index].done = true;
    if (self->steps[index].staged)
        self->staged[step->peer] = self->steps[index].message;
    if (!run->with_data)
        return true;
    uint32_t count;
    uint32_t *segments = segments_of(run, self->plan, step, &count);
    bool right =
        count == m->segment_count && memcmp(segments, m->segments, count * sizeof *segments) == 0;
    if (right && !self->steps[index].staged)
        for (uint32_t k = 0; k < count; k++) {
            self->data[segments[k]] = m->content[k];
            self->spoilt[segments[k]] = false;
        }
    free(segments);
    return right ||
           fault(run->world, "rank %u step %u: other blocks than %u sent", rank, index, step->peer);
}

static bool is_interval(rank_set set) {
    rank_set lowest = set & (~set + 1);
    return ((set + lowest) & set) == 0;
}

static bool combine(plan_run *run, uint32_t rank, uint32_t index) {
    task *self = &run->tasks[rank];
    const vef_step *step = &self->plan->steps[index];
    uint32_t from = self->staged[step->peer];
    if (from == NONE)
        return fault(run->world, "rank %u step %u: nothing to combine", rank, index);
    if (!run->with_data)
        return true;
    const message *m = &run->messages[from];
    uint32_t count;
    uint32_t *segments = segments_of(run, self->plan, step, &count);
    memset(run->where, 0xff, run->place_count * sizeof *run->where);
    for (uint32_t k = 0; k < m->segment_count; k++)
        run->where[m->segments[k]] = k;
    bool right = true;
    for (uint32_t k = 0; right && k < count; k++) {
        uint32_t source = segments[k];
        if (has_result(run->one) && run->places[source].piece == 1 &&
            run->where[source] == NONE) /* a scan's result, from the total */
            source -= run->place_count / 2;
        rank_set *held = &self->data[segments[k]];
        rank_set given = run->where[source] == NONE ? 0 : m->content[run->where[source]];
        bool copy = step->bytes == 0;
        if (given == 0 || (*held == 0) != copy)
            right = fault(run->world, "rank %u step %u combines nothing", rank, index);
        else if (*held & given)
            right = fault(run->world, "rank %u step %u counts a contribution twice", rank, index);
        else if (!run->one->calls[0].commutative &&
                 !(is_interval(*held) && is_interval(given) && is_interval(*held | given)))
            self->spoilt[segments[k]] = true;
        *held |= given;
    }
    free(segments);
    return right;
}

static uint32_t start_round(const task *self, uint32_t after) {
    return after ? self->steps[after - 1].round : 0;
}

/* Tries to get a step that may start on; `moved` says whether anything happened. */
static bool try_step(plan_run *run, uint32_t rank, uint32_t index, bool *moved) {
    task *self = &run->tasks[rank];
    const vef_step *step = &self->plan->steps[index];
    step_state *state = &self->steps[index];
    uint32_t begin = start_round(self, step->after);
    if (step->kind == VEF_STEP_REDUCE) {
        state->done = true;
        state->end_round = begin;
        *moved = true;
        return combine(run, rank, index);
    }
    message *m = &run->messages[state->message];
    const vef_step *sending = &run->tasks[m->from].plan->steps[m->send_step];
    bool synchronous = run->how & PLAN_SYNCHRONOUS && !sending->eager;
    if (step->kind == VEF_STEP_SEND && !m->sent) {
        m->sent = *moved = true;
        m->sent_round = state->end_round = begin + 1;
        if (!synchronous && !load(run, rank, index, m))
            return false;
        state->done = !synchronous;
    }
    if (step->kind == VEF_STEP_SEND && synchronous && m->taken)
        state->done = *moved = true;
    if (step->kind == VEF_STEP_RECEIVE && m->sent) {
        *moved = true;
        state->end_round = begin + 1 > m->sent_round ? begin + 1 : m->sent_round;
        if (synchronous && !load(run, m->from, m->send_step, m))
            return false;
        return deliver(run, rank, index, m);
    }
    return true;
}

static bool advance(plan_run *run, uint32_t rank, bool *moved) {
    task *self = &run->tasks[rank];
    for (uint32_t i = self->complete;
         i < self->plan->count && self->plan->steps[i].after <= self->complete; i++)
        if (!self->steps[i].done && !try_step(run, rank, i, moved))
            return false;
    while (self->complete < self->plan->count && self->steps[self->complete].done) {
        step_state *state = &self->steps[self->complete];
        uint32_t before = start_round(self, self->complete);
        state->round = state->end_round > before ? state->end_round : before;
        self->complete++;
        *moved = true;
    }
    return true;
}

static bool check_end(plan_run *run) {
    const collective_case *one = run->one;
    plan_world *world = run->world;
    rank_set everybody = one->size < RANK_SET_LIMIT ? ((rank_set)1 << one->size) - 1 : ~(rank_set)0;
    for (uint32_t r = 0; r < one->size; r++) {
        const task *self = &run->tasks[r];
        if (self->complete < self->plan->count)
            return fault(world, "deadlock: rank %u at step %u of %zu", r, self->complete,
                         self->plan->count);
        if (one->size <= RANK_SET_LIMIT && collective_synchronises(one->calls[0].call) &&
            self->heard != everybody)
            return fault(world, "rank %u has not heard from all", r);
        for (uint32_t s = 0; run->with_data && s + 1 < run->place_count; s++) {
            if (run->places[s].piece != run->places[s + 1].piece)
                continue;
            rank_set wanted =
                collective_after(&one->calls[r], run->places[s].piece, run->places[s].offset_bytes);
            if (wanted && self->spoilt[s])
                return fault(world, "rank %u: piece %u combined out of order", r,
                             run->places[s].piece);
            if (wanted && self->data[s] != wanted)
                return fault(world, "rank %u: wrong data in piece %u from byte %llu on", r,
                             run->places[s].piece, (unsigned long long)run->places[s].offset_bytes);
        }
    }
    return true;
}

static void measure(plan_run *run) {
    plan_world *world = run->world;
    world->rounds = 0;
    world->most_bytes = world->all_bytes = world->most_messages = 0;
    for (uint32_t r = 0; r < world->size; r++) {
        const task *self = &run->tasks[r];
        uint64_t bytes[2] = {0, 0}, messages[2] = {0, 0};
        for (size_t i = 0; i < self->plan->count; i++) {
            const vef_step *step = &self->plan->steps[i];
            if (step->kind == VEF_STEP_REDUCE)
                continue;
            bytes[step->kind == VEF_STEP_SEND] += step->bytes;
            messages[step->kind == VEF_STEP_SEND]++;
        }
        for (int way = 0; way < 2; way++) {
            if (bytes[way] > world->most_bytes)
                world->most_bytes = bytes[way];
            if (messages[way] > world->most_messages)
                world->most_messages = messages[way];
        }
        world->all_bytes += bytes[1];
        uint32_t round = start_round(self, self->complete);
        world->rounds = round > world->rounds ? round : world->rounds;
    }
}

/* That both sides of each message count the same bytes. */
static bool check_sizes(plan_run *run) {
    for (uint32_t r = 0; r < run->world->size; r++)
        for (uint32_t i = 0; i < run->tasks[r].plan->count; i++) {
            const vef_step *step = &run->tasks[r].plan->steps[i];
            if (step->kind != VEF_STEP_SEND)
                continue;
            const message *m = &run->messages[run->tasks[r].steps[i].message];
            const vef_step *other = &run->tasks[m->to].plan->steps[m->receive_step];
            if (other->bytes != step->bytes)
                return fault(run->world, "rank %u sends %llu bytes, rank %u receives %llu", r,
                             (unsigned long long)step->bytes, m->to,
                             (unsigned long long)other->bytes);
        }
    return true;
}

static bool run_all(plan_run *run) {
    uint32_t size = run->world->size;
    if (!match(run) || !check_sizes(run))
        return false;
    if (run->with_data) {
        cut_data(run);
        start_data(run);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t k = 0; k < size; k++)
            if (!advance(run, run->how & PLAN_DOWNWARDS ? size - 1 - k : k, &moved))
                return false;
    }
    measure(run);
    return check_end(run);
}

bool plan_world_run(plan_world *world, const collective_case *one, int how) {
    plan_run run = {.world = world, .one = one, .how = how};
    run.with_data = world->plans[0].note_blocks && collective_pieces(&one->calls[0]) > 0;
    run.tasks = zeroed(world->size, sizeof *run.tasks);
    world->fault[0] = '\0';
    for (uint32_t r = 0; r < world->size; r++) {
        task *self = &run.tasks[r];
        self->plan = &world->plans[r];
        self->steps = zeroed(self->plan->count, sizeof *self->steps);
        self->staged = zeroed(world->size, sizeof *self->staged);
        memset(self->staged, 0xff, world->size * sizeof *self->staged);
        self->heard = r < RANK_SET_LIMIT ? (rank_set)1 << r : 0;
        find_staged(&run, r);
    }
    bool right = run_all(&run);
    for (uint32_t r = 0; r < world->size; r++) {
        free(run.tasks[r].steps);
        free(run.tasks[r].staged);
        free(run.tasks[r].data);
        free(run.tasks[r].spoilt);
    }
    for (uint32_t m = 0; m < run.message_count; m++) {
        free(run.messages[m].content);
        free(run.messages[m].segments);
    }
    free(run.tasks);
    free(run.messages);
    free(run.places);
    free(run.where);
    return right;
}
