/* Passing on a collective as the messages of its plan. See walk.h.
 *
 * A blocking collective's plan is passed on at once, and so is that of a non-blocking one if the
 * format has chains. Without chains, a non-blocking collective starts its independent steps in its
 * call; the rest follows step by step before later waits of the task, in the order of vef_order,
 * and its last waits where the task waits for its request. */
#include "common/containers/grow.h"
#include "interchange/walk/state.h"
#include "replay/describe.h"

#include <stdlib.h>

/* Bits of a tag: VEF_PLAN_TAGS, communicator, number of the collective on it, message between the
 * two tasks in that collective. The number is the place of the collective in its sequence plus an
 * offset of the sequence. Multiples of 2^64 / golden ratio spread the offsets of few sequences far
 * apart, so that their numbers meet late. Two collectives that overlap and have the same number use
 * the same tags; their messages can then be mistaken for each other if the members progress the two
 * collectives in different orders. The more communicators, the fewer numbers. */
enum { TAG_BITS = 30, NTH_BITS = 8, MOST_COMM_BITS = 14 };
static const uint64_t offset_step = UINT64_C(0x9E3779B97F4A7C15);

static uint32_t plan_tag(const vef_walker *walker, const vef_walk_run *run, uint32_t nth) {
    unsigned comm_bits = 0;
    while (comm_bits < MOST_COMM_BITS && (walker->header->communicator_count - 1) >> comm_bits)
        comm_bits++;
    const unsigned number_bits = TAG_BITS - NTH_BITS - comm_bits;
    const uint64_t number = run->number + (run->sequence * offset_step >> (64 - number_bits));
    const uint32_t on = (run->comm & ((UINT32_C(1) << comm_bits) - 1)) << number_bits |
                        ((uint32_t)number & ((UINT32_C(1) << number_bits) - 1));
    return VEF_PLAN_TAGS | on << NTH_BITS | (nth & ((1 << NTH_BITS) - 1));
}

/* ---- runs ---- */

static uint64_t beside_key(const vef_walker *walker, uint32_t thread, uint64_t event) {
    return event * walker->thread_count + thread;
}

/* The index of an unused run. May move all runs. */
static uint32_t take_run(vef_walker *walker) {
    size_t taken = walker->first_free_run;
    while (taken < walker->run_count && walker->runs[taken].active)
        taken++;
    vef_grow_zeroed(&walker->runs, &walker->run_count, taken + 1, sizeof *walker->runs);
    walker->runs[taken].active = true;
    walker->first_free_run = taken + 1;
    return (uint32_t)taken;
}

static void leave_run(vef_walker *walker, uint32_t index) {
    walker->runs[index].active = false;
    if (index < walker->first_free_run)
        walker->first_free_run = index;
}

void vef_walk_release_runs(vef_walker *walker) {
    for (size_t i = 0; i < walker->run_count; i++) {
        vef_plan_release(&walker->runs[i].plan);
        free(walker->runs[i].records);
    }
    free(walker->runs);
    vef_map64_free(&walker->beside);
}

void vef_walk_clear_runs(vef_walker *walker) {
    for (size_t i = 0; i < walker->run_count; i++)
        walker->runs[i].active = false;
    walker->first_free_run = 0;
    vef_map64_clear(&walker->beside);
}

/* The position of a collective in its sequence, the same in all members. */
static void count_call(vef_walker *walker, const vef_event *event, vef_walk_run *run) {
    run->sequence = vef_event_sequence(event);
    const uint64_t key = vef_sequence_key(run->comm, run->sequence);
    uint64_t *calls = vef_map64_get(&walker->entered, key);
    run->number = calls ? (*calls)++ : 0;
    if (!calls)
        vef_map64_set(&walker->entered, key, 1);
}

/* Makes the plan of a collective; `*planned`: there is one. */
static vef_code make_plan(vef_walker *walker, const vef_event *event, vef_walk_run *run,
                          bool *planned, vef_error *error) {
    vef_described described;
    bool barrier;
    *planned = false;
    vef_code code = vef_describe(&walker->comms, run->comm, walker->task, event, &described, error);
    if (code)
        return code;
    described.call.choices = walker->options->choices;
    const vef_tuned choice = vef_describe_algorithm(&described, &barrier);
    if (!choice.algorithm)
        return VEF_OK;
    walker->counts[VEF_WALK_AS_BARRIERS] += barrier;
    *planned = true;
    run->state = described.state;
    run->next = run->complete = 0;
    count_call(walker, event, run);
    code = vef_plan_make(choice, &described.call, &run->plan, error);
    if (!code)
        vef_grow(&run->records, &run->room, run->plan.count, sizeof *run->records);
    return code;
}

/* ---- steps ---- */

static void start_step(vef_walker *walker, uint32_t chain, vef_walk_run *run) {
    const vef_step *step = &run->plan.steps[run->next];
    const vef_walk_sink *sink = walker->sink;
    uint32_t *index = &run->records[run->next++];
    *index = VEF_NO_RECORD;
    if (step->kind == VEF_STEP_REDUCE) {
        double ns = (double)step->bytes * walker->options->reduce_ns_per_byte;
        if (ns >= 1)
            sink->compute(sink->context, chain, (uint64_t)ns);
        return;
    }
    *index = vef_walk_new_record(walker);
    vef_walk_record *record = &walker->records[*index];
    record->state = VEF_WALK_MESSAGE;
    record->message = (vef_walk_message){.send = step->kind == VEF_STEP_SEND,
                                         .peer = vef_comm_member(run->state, step->peer),
                                         .tag = plan_tag(walker, run, step->nth),
                                         .bytes = step->bytes};
    sink->start(sink->context, chain, &record->message);
}

/* Waits for the steps before `needed`. `blocking`: the run is that of the call that the task is in,
 * which lets other collectives progress. */
static void complete(vef_walker *walker, uint32_t chain, vef_walk_run *run, size_t needed,
                     bool blocking) {
    size_t waits = 0;
    for (size_t i = run->complete; i < needed; i++)
        waits += run->records[i] != VEF_NO_RECORD;
    if (waits && blocking)
        vef_walk_progress(walker, chain, (uint32_t)run->next);
    if (waits)
        vef_walk_wait(walker, chain, run->records + run->complete, needed - run->complete, false);
    if (needed > run->complete)
        run->complete = needed;
}

/* Starts the steps before `until`. */
static void advance(vef_walker *walker, uint32_t chain, vef_walk_run *run, size_t until,
                    bool blocking) {
    while (run->next < until) {
        complete(walker, chain, run, run->plan.steps[run->next].after, blocking);
        start_step(walker, chain, run);
    }
}

static void finish(vef_walker *walker, uint32_t chain, vef_walk_run *run, bool blocking) {
    advance(walker, chain, run, run->plan.count, blocking);
    complete(walker, chain, run, run->plan.count, blocking);
}

/* ---- background collectives, in a format without chains ---- */

void vef_walk_progress(vef_walker *walker, uint32_t chain, uint32_t own_steps) {
    for (uint32_t i = 0; i < walker->thread_count; i++) {
        vef_walk_thread *thread = &walker->threads[i];
        const vef_order_list *list = vef_order_of(&walker->order, walker->task, i);
        const uint32_t steps = i == walker->thread ? own_steps : 0;
        while (list && thread->ordered < list->count) {
            const vef_order_entry *entry = &list->entries[thread->ordered];
            if (entry->event > thread->processed ||
                (entry->event == thread->processed &&
                 (i != walker->thread || entry->own_steps > steps)))
                break;
            thread->ordered++;
            const uint64_t *index =
                vef_map64_get(&walker->beside, beside_key(walker, i, entry->collective));
            if (!index)
                continue; /* the task has waited for it already */
            vef_walk_run *run = &walker->runs[*index];
            advance(walker, chain, run,
                    entry->until < run->plan.count ? entry->until : run->plan.count, false);
        }
    }
}

void vef_walk_finish(vef_walker *walker, uint32_t chain, uint32_t index) {
    vef_walk_run *run = &walker->runs[index];
    uint64_t former;
    finish(walker, chain, run, false);
    vef_map64_take(&walker->beside, run->key, &former);
    leave_run(walker, index);
}

/* Starts the independent steps; the rest follows in vef_walk_progress and vef_walk_finish. */
static void start_beside(vef_walker *walker, uint32_t chain, const vef_event *event,
                         uint32_t index) {
    vef_walk_run *run = &walker->runs[index];
    const uint32_t record = vef_walk_new_record(walker);
    run->key = beside_key(walker, walker->thread, walker->threads[walker->thread].processed);
    vef_map64_set(&walker->beside, run->key, index);
    walker->counts[VEF_WALK_BESIDE]++;
    walker->records[record].state = VEF_WALK_RUN;
    walker->records[record].chain = index;
    advance(walker, chain, run, vef_plan_free_steps(run->plan.steps, run->plan.count), false);
    if (!(event->flags & VEF_EVENT_OPEN_ENDED)) /* else nothing waits for it */
        vef_walk_keep(walker, event->request, record);
}

/* ---- all collectives ---- */

static bool has_world_ranks(const vef_walker *walker, uint32_t comm) {
    const vef_communicator *made = &walker->header->communicators[comm];
    if (made->size != walker->header->tasks || made->remote_size)
        return false;
    for (uint32_t rank = 0; rank < made->size; rank++)
        if (made->members[rank] != rank)
            return false;
    return true;
}

static void finish_blocking(vef_walker *walker, uint32_t chain, const vef_event *event,
                            vef_walk_run *run) {
    bool taken = false;
    /* The order knows the blocking collectives of communicators of all tasks only. */
    const bool known =
        !walker->order.lists || run->state->communicator->size == walker->header->tasks;
    if (walker->sink->collective && known &&
        !vef_order_interrupts(&walker->order, run->comm, run->number)) {
        vef_walk_progress(walker, chain, 0);
        taken = walker->sink->collective(walker->sink->context, chain, event,
                                         has_world_ranks(walker, run->comm));
    }
    if (!taken)
        finish(walker, chain, run, true);
}

/* On a separate chain, whose end completes the request. */
static void finish_on_branch(vef_walker *walker, uint32_t chain, const vef_event *event,
                             vef_walk_run *run) {
    const uint32_t index = vef_walk_new_record(walker), branch = vef_walk_new_chain(walker, chain);
    finish(walker, branch, run, true);
    walker->records[index].state = VEF_WALK_CHAIN;
    walker->records[index].chain = branch;
    vef_walk_keep(walker, event->request, index);
}

vef_code vef_walk_collective(vef_walker *walker, uint32_t chain, const vef_event *event,
                             vef_error *error) {
    const uint32_t comm = vef_describe_comm(event);
    bool planned = false;
    if (vef_event_is_making(event) || comm == VEF_NO_COMM)
        return VEF_OK;
    const uint32_t index = take_run(walker);
    walker->runs[index].comm = comm;
    vef_code code = make_plan(walker, event, &walker->runs[index], &planned, error);
    if (!code && planned) {
        const bool beside = vef_event_starts_request(event);
        vef_walk_run *run = &walker->runs[index];
        vef_plan_number(&run->plan, walker->peer_counts);
        if (beside && !walker->sink->chains) {
            start_beside(walker, chain, event, index);
            return VEF_OK;
        }
        if (beside)
            finish_on_branch(walker, chain, event, run);
        else
            finish_blocking(walker, chain, event, run);
    }
    leave_run(walker, index);
    return code;
}
