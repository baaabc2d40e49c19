/* Restoring what an archive does not state (interchange/otf2/restore/restore.h), from random
 * programs.
 *
 * A program is run here as MPI defines it: messages between two tasks with one tag are received in
 * the order in which they are sent and their receives posted, a call that completes a receive
 * returns after the message was sent. Each task has a clock with an offset of its own. Restored are
 * the calls without their messages. Invariants:
 *   - every message that an MPI_Irecv of the program got, and no other, is received once, by the
 *     task that it was sent to;
 *   - a run of the tasks with what was restored ends, with messages that match in the order in
 *     which receives are posted, and sends that do not wait;
 *   - exchanges between neighbours are restored exactly, whatever the clocks show. */
#include "common/rng.h"
#include "interchange/otf2/restore/finish.h"
#include "tests/traces/trace_support.h"
#include "traces/call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { TASKS = 5, MOST = 4096, LATENCY_NS = 900 };

/* A message as the program sends it, and whether an MPI_Irecv gets it. */
typedef struct letter {
    uint32_t from, to;
    int32_t tag;
    bool is_stated;
    uint64_t sent_ns; /* true time */
    uint64_t place;   /* in the restoration */
} letter;

static vef_otf2_restore restore;
static vef_otf2_step program[TASKS][MOST];
static size_t lengths[TASKS];
static letter letters[MOST];
static size_t letter_count;
static uint64_t now_ns[TASKS], offsets[TASKS];

static uint32_t draw(vef_rng *rng, uint32_t below) {
    return vef_rng_below(rng, below);
}

static vef_otf2_step *put(uint32_t task, vef_otf2_step step) {
    assert_in_range(lengths[task], 0, MOST - 1);
    program[task][lengths[task]] = step;
    return &program[task][lengths[task]++];
}

/* Adds the steps to the restoration, task by task, with times of the tasks' clocks. */
static void state_all(void) {
    vef_otf2_restore_begin(&restore, TASKS);
    for (uint32_t task = 0; task < TASKS; task++)
        for (size_t i = 0; i < lengths[task]; i++) {
            vef_otf2_step step = program[task][i];
            step.at_ns += offsets[task];
            step.entered_ns += offsets[task];
            if (step.kind <= VEF_OTF2_STEP_START_SEND && step.kind != VEF_OTF2_STEP_RECEIVE &&
                step.message != VEF_OTF2_NO_MESSAGE) {
                letter *of = &letters[step.message];
                of->place = vef_otf2_restore_message(
                    &restore, (vef_otf2_message){.sender = task,
                                                 .receiver = of->to,
                                                 .tag = of->tag,
                                                 .sent_ns = of->sent_ns + offsets[task]});
                step.message = of->place;
            }
            if (step.kind == VEF_OTF2_STEP_COLLECTIVE)
                vef_otf2_restore_collective(&restore, task, TASKS, step);
            else
                vef_otf2_restore_step(&restore, task, step);
        }
}

static void forget_all(void) {
    vef_otf2_restore_release(&restore);
    memset(lengths, 0, sizeof lengths);
    letter_count = 0;
    memset(now_ns, 0, sizeof now_ns);
    memset(offsets, 0, sizeof offsets);
}

/* ---- programs ---- */

static void post(uint32_t task, uint64_t address) {
    now_ns[task] += 10;
    put(task, (vef_otf2_step){.kind = VEF_OTF2_STEP_START_RECEIVE,
                              .message = VEF_OTF2_NO_MESSAGE,
                              .address = address});
}

/* `address` 0: a blocking send. The letter's number. */
static size_t mail(uint32_t from, uint32_t to, int32_t tag, uint64_t address) {
    assert_in_range(letter_count, 0, MOST - 1);
    now_ns[from] += 10;
    letters[letter_count] = (letter){.from = from, .to = to, .tag = tag, .sent_ns = now_ns[from]};
    put(from, (vef_otf2_step){.kind = address ? VEF_OTF2_STEP_START_SEND : VEF_OTF2_STEP_SEND,
                              .message = letter_count,
                              .address = address});
    return letter_count++;
}

static void finish(uint32_t task, uint16_t call, uint64_t not_before_ns) {
    now_ns[task] += 10;
    if (now_ns[task] < not_before_ns)
        now_ns[task] = not_before_ns;
    put(task, (vef_otf2_step){.kind = VEF_OTF2_STEP_COMPLETE, .call = call, .at_ns = now_ns[task]});
}

static void meet(void) {
    uint64_t last_ns = 0, entered_ns[TASKS];
    for (uint32_t task = 0; task < TASKS; task++) {
        entered_ns[task] = now_ns[task] += 10;
        last_ns = now_ns[task] > last_ns ? now_ns[task] : last_ns;
    }
    for (uint32_t task = 0; task < TASKS; task++) {
        now_ns[task] = last_ns + 5 + task;
        put(task, (vef_otf2_step){.kind = VEF_OTF2_STEP_COLLECTIVE,
                                  .synchronises = true,
                                  .entered_ns = entered_ns[task],
                                  .at_ns = now_ns[task]});
    }
}

/* Completes the task's receives of the letters `list`, in one of the ways that there are, and its
 * sends. */
static void finish_all(vef_rng *rng, uint32_t task, const size_t *list, size_t count,
                       size_t sends) {
    uint64_t all_ns = 0;
    const uint32_t way = draw(rng, 4);
    for (size_t i = 0; i < count; i++) {
        const uint64_t there_ns = letters[list[i]].sent_ns + LATENCY_NS;
        all_ns = there_ns > all_ns ? there_ns : all_ns;
        if (way == 0)
            finish(task, VEF_CALL_Wait, there_ns);
        else if (way == 1) /* those that are there first: the order of MPI_Waitany is free */
            finish(task, VEF_CALL_Waitany, all_ns);
    }
    if (way == 1) /* as in a loop until MPI_UNDEFINED */
        finish(task, VEF_CALL_Waitany, 0);
    for (size_t i = 0; way == 0 && i < sends; i++)
        finish(task, VEF_CALL_Wait, 0);
    if (way == 2)
        for (int i = 0; i < 3; i++)
            finish(task, VEF_CALL_Testall, i == 2 ? all_ns : 0);
    if (way == 1 || way == 3)
        finish(task, VEF_CALL_Waitall, all_ns);
}

/* Each task sends the messages of a round before it waits, so no cycle is possible. */
static void make_round(vef_rng *rng, uint32_t round, bool apart) {
    size_t list[TASKS][2 * TASKS], counts[TASKS] = {0}, sends[TASKS] = {0};
    bool stated[TASKS][2 * TASKS];
    for (uint32_t to = 0; to < TASKS; to++)
        now_ns[to] += draw(rng, 3000);
    for (uint32_t from = 0; from < TASKS; from++)
        for (uint32_t to = 0; to < TASKS; to++) {
            if (from == to || draw(rng, 3) > 0)
                continue;
            const bool is_stated = draw(rng, 6) == 0, is_started = draw(rng, 2) == 0;
            const size_t number =
                mail(from, to, (int32_t)draw(rng, 2) + (apart && is_stated ? 2 : 0),
                     is_started ? 1 + 64 * from + sends[from] : 0);
            sends[from] += is_started;
            letters[number].is_stated = is_stated;
            stated[to][counts[to]] = is_stated;
            list[to][counts[to]++] = number;
        }
    for (uint32_t to = 0; to < TASKS; to++) {
        size_t rest[2 * TASKS], count = 0;
        for (size_t i = 0; i < counts[to]; i++)
            if (!stated[to][i]) {
                post(to, 1024 + 64 * to + count + (round % 2) * 32);
                rest[count++] = list[to][i];
            }
        for (size_t i = 0; i < counts[to]; i++)
            if (stated[to][i]) {
                const letter *of = &letters[list[to][i]];
                const uint64_t there_ns = of->sent_ns + LATENCY_NS;
                now_ns[to] = now_ns[to] > there_ns ? now_ns[to] + 10 : there_ns;
                put(to, (vef_otf2_step){.kind = VEF_OTF2_STEP_RECEIVE,
                                        .sender = of->from,
                                        .tag = of->tag,
                                        .at_ns = now_ns[to]});
            }
        finish_all(rng, to, rest, count, sends[to]);
    }
}

/* ---- the run with what was restored ---- */

typedef struct run_state {
    size_t step, call, request;
    size_t requests[MOST]; /* places of their steps */
} run_state;

static bool was_sent(const run_state *all, size_t number) {
    const letter *of = &letters[number];
    for (size_t i = 0; i < all[of->from].step; i++) {
        const vef_otf2_step *step = &program[of->from][i];
        if ((step->kind == VEF_OTF2_STEP_SEND || step->kind == VEF_OTF2_STEP_START_SEND) &&
            step->message == number)
            return true;
    }
    return false;
}

static size_t letter_at(uint64_t place) {
    for (size_t i = 0; i < letter_count; i++)
        if (letters[i].place == place)
            return i;
    fail_msg("message %llu was not sent", (unsigned long long)place);
    return 0;
}

/* The n-th receive of an envelope in the order of posting gets its n-th message: fills in, per
 * step that receives, the letter; letter_count: none. */
static void match(uint32_t task, size_t *got) {
    static bool used[MOST];
    size_t request = 0;
    memset(used, 0, sizeof used);
    for (size_t i = 0; i < lengths[task]; i++) {
        const vef_otf2_step *step = &program[task][i];
        const bool starts = step->kind == VEF_OTF2_STEP_START_RECEIVE;
        uint32_t from = step->sender;
        int32_t tag = step->tag;
        got[i] = letter_count;
        if (starts) {
            const uint64_t place = restore.tasks[task].messages[request];
            if (place != VEF_OTF2_NO_MESSAGE) {
                from = restore.messages[place].sender;
                tag = restore.messages[place].tag;
                assert_int_equal(restore.messages[place].receiver, task);
            }
        }
        request += starts || step->kind == VEF_OTF2_STEP_START_SEND;
        if (!starts && step->kind != VEF_OTF2_STEP_RECEIVE)
            continue;
        if (starts && restore.tasks[task].messages[request - 1] == VEF_OTF2_NO_MESSAGE)
            continue;
        size_t k = 0;
        while (k < letter_count && (used[k] || letters[k].from != from || letters[k].to != task ||
                                    letters[k].tag != tag))
            k++;
        assert_in_range(k, 0, letter_count - 1);
        used[k] = true;
        got[i] = k;
        if (starts) /* as restored, so the lengths are those of the messages */
            assert_int_equal(letter_at(restore.tasks[task].messages[request - 1]), k);
    }
}

static bool goes_on(run_state *all, size_t got[TASKS][MOST], uint32_t task) {
    run_state *at = &all[task];
    const vef_otf2_restored *of = &restore.tasks[task];
    const vef_otf2_step *step = &program[task][at->step];
    if (step->kind == VEF_OTF2_STEP_START_SEND || step->kind == VEF_OTF2_STEP_START_RECEIVE)
        at->requests[at->request++] = at->step;
    if (step->kind == VEF_OTF2_STEP_RECEIVE)
        return was_sent(all, got[task][at->step]);
    if (step->kind != VEF_OTF2_STEP_COMPLETE)
        return true;
    for (size_t i = at->call ? of->ends[at->call - 1] : 0; i < of->ends[at->call]; i++) {
        const size_t posted = at->requests[of->list[i].request];
        assert_in_range(of->list[i].request, 0, at->request - 1); /* started before */
        if (of->list[i].message != VEF_OTF2_NO_MESSAGE && !was_sent(all, got[task][posted]))
            return false;
    }
    at->call++;
    return true;
}

static void check_run(void) {
    static run_state all[TASKS];
    static size_t got[TASKS][MOST];
    bool some = true;
    memset(all, 0, sizeof all);
    for (uint32_t task = 0; task < TASKS; task++)
        match(task, got[task]);
    while (some) {
        some = false;
        for (uint32_t task = 0; task < TASKS; task++)
            while (all[task].step < lengths[task] && goes_on(all, got, task)) {
                all[task].step++;
                some = true;
            }
    }
    for (uint32_t task = 0; task < TASKS; task++)
        if (all[task].step < lengths[task])
            fail_msg("task %u waits at step %zu of %zu", task, all[task].step, lengths[task]);
}

/* Every message is received once: by envelope, as stated receives may take any of theirs. */
static void check_messages(void) {
    static uint32_t received[TASKS][TASKS][4];
    memset(received, 0, sizeof received);
    for (uint32_t task = 0; task < TASKS; task++) {
        static bool complete[MOST];
        const vef_otf2_restored *of = &restore.tasks[task];
        memset(complete, 0, sizeof complete);
        for (size_t i = 0; i < of->count; i++) {
            assert_false(complete[of->list[i].request]);
            complete[of->list[i].request] = true;
            if (of->list[i].message != VEF_OTF2_NO_MESSAGE) {
                const vef_otf2_message *message = &restore.messages[of->list[i].message];
                received[message->sender][task][message->tag]++;
            }
        }
        for (size_t i = 0; i < of->request_count; i++)
            assert_true(complete[i]);
    }
    for (size_t i = 0; i < letter_count; i++)
        if (!letters[i].is_stated)
            received[letters[i].from][letters[i].to][letters[i].tag]--;
    for (uint32_t i = 0; i < TASKS * TASKS * 4; i++)
        if ((&received[0][0][0])[i] != 0)
            fail_msg("from %u to %u, tag %u: %d too many", i / 4 / TASKS, i / 4 % TASKS, i % 4,
                     (int)(&received[0][0][0])[i]);
}

static void make_program(uint64_t seed, bool apart) {
    vef_rng rng = vef_rng_make(seed, VEF_RNG_TEST, 0);
    const uint32_t meets = draw(&rng, 3);
    for (uint32_t task = 0; task < TASKS; task++)
        offsets[task] = seed % 3 == 0 ? 0 : draw(&rng, 100000);
    for (uint32_t round = 0; round < 12; round++) {
        make_round(&rng, round, apart);
        if (meets > 0 && round % (2 * meets) == 1)
            meet();
    }
    state_all();
}

static void random_programs(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        make_program(seed, true);
        OK(vef_otf2_restore_finish(&restore, error));
        assert_int_equal(restore.stuck + restore.open + restore.early + restore.nowhere, 0);
        check_messages();
        check_run();
        forget_all();
    }
}

/* Where stated and other receives share envelopes, clocks that are not known can mislead: the
 * restoration must say so, and what it makes must still end. */
static void shared_envelopes(void **state) {
    uint64_t restored = 0;
    (void)state;
    for (uint64_t seed = 0; seed < 300; seed++) {
        vef_error error = {0};
        make_program(seed, false);
        if (vef_otf2_restore_finish(&restore, &error)) {
            assert_non_null(strstr(error.message, "could not be matched so that all tasks end"));
        } else {
            check_run();
            if (restore.stuck + restore.open == 0) {
                check_messages();
                restored++;
            }
        }
        forget_all();
    }
    assert_in_range(restored, 270, 300);
}

static void only_choices(void) {
    OK(vef_otf2_restore_finish(&restore, error));
    assert_int_equal(restore.stuck + restore.open + restore.early, 0);
}

/* The senders of a task's receives, in the order of their start. */
static void has_senders(uint32_t task, size_t count, const int *senders) {
    const vef_otf2_restored *of = &restore.tasks[task];
    size_t k = 0;
    for (size_t i = 0, request = 0; i < of->step_count; i++) {
        if (of->steps[i].kind != VEF_OTF2_STEP_START_RECEIVE &&
            of->steps[i].kind != VEF_OTF2_STEP_START_SEND)
            continue;
        const uint64_t place = of->messages[request];
        if (of->steps[i].kind == VEF_OTF2_STEP_START_RECEIVE) {
            assert_in_range(k, 0, count - 1);
            if (senders[k] < 0) {
                assert_true(of->nowhere[request]);
                assert_true(place == VEF_OTF2_NO_MESSAGE);
            } else {
                assert_true(place != VEF_OTF2_NO_MESSAGE);
                assert_int_equal(restore.messages[place].sender, senders[k]);
            }
            k++;
        }
        request++;
    }
    assert_int_equal(k, count);
}

static void swap_with(uint32_t task, uint32_t other) {
    post(task, 8);
    mail(task, other, 0, 0);
}

/* Tasks in a line exchange with both neighbours, the lower one first. Task 2 runs ahead as far as
 * it can, and the clocks say nothing. */
static void neighbours_in_a_line(void **state) {
    enum { ROUNDS = 6 };
    static const int middle[2 * ROUNDS] = {0, 2, 0, 2, 0, 2, 0, 2, 0, 2, 0, 2};
    static const int first[ROUNDS] = {1, 1, 1, 1, 1, 1}, last[ROUNDS] = {1, 1, 1, 1, 1, 1};
    (void)state;
    offsets[0] = 5000000;
    offsets[1] = 20;
    for (int round = 0; round < ROUNDS; round++) {
        swap_with(2, 1);
        swap_with(0, 1);
        swap_with(1, 0);
        finish(0, VEF_CALL_Wait, now_ns[1] + LATENCY_NS);
        finish(1, VEF_CALL_Wait, now_ns[0] + LATENCY_NS);
        swap_with(1, 2);
        finish(1, VEF_CALL_Wait, 0);
        finish(2, VEF_CALL_Wait, now_ns[1] + LATENCY_NS);
    }
    state_all();
    only_choices();
    has_senders(0, ROUNDS, first);
    has_senders(1, sizeof middle / sizeof *middle, middle);
    has_senders(2, ROUNDS, last);
    assert_false(restore.eager_only); /* each receive is posted before its task sends */
    check_run();
    forget_all();
}

/* More receives than messages are from MPI_PROC_NULL, as sends to it suggest. */
static void receives_from_nowhere(void **state) {
    static const int senders[] = {-1, 1, 2, -1, 1, 2};
    (void)state;
    for (int round = 0; round < 2; round++) {
        post(0, 8);
        put(0, (vef_otf2_step){.kind = VEF_OTF2_STEP_SEND, .message = VEF_OTF2_NO_MESSAGE});
        finish(0, VEF_CALL_Wait, 0);
        for (uint32_t other = 1; other <= 2; other++) {
            mail(other, 0, 0, 0);
            swap_with(0, other);
            finish(0, VEF_CALL_Wait, now_ns[other] + LATENCY_NS);
            post(other, 8);
            finish(other, VEF_CALL_Wait, now_ns[0] + LATENCY_NS);
        }
    }
    state_all();
    only_choices();
    assert_int_equal(restore.nowhere, 2);
    has_senders(0, 6, senders);
    check_run();
    forget_all();
}

/* Both tasks send before they post their receive: no run ends if the sends wait. */
static void sends_that_must_not_wait(void **state) {
    (void)state;
    for (uint32_t task = 0; task < 2; task++) {
        mail(task, 1 - task, 0, 0);
        post(task, 8);
    }
    for (uint32_t task = 0; task < 2; task++)
        finish(task, VEF_CALL_Wait, now_ns[1 - task] + LATENCY_NS);
    state_all();
    only_choices();
    assert_true(restore.eager_only);
    check_run();
    forget_all();
}

/* Both tasks wait before they send, which no program can have done; and a clock that runs
 * backwards. An answer in any case. */
static void contradictions(void **state) {
    vef_error error = {0};
    (void)state;
    for (uint32_t task = 0; task < 2; task++) {
        post(task, 8);
        finish(task, VEF_CALL_Wait, 0);
        mail(task, 1 - task, 0, 0);
    }
    state_all();
    if (vef_otf2_restore_finish(&restore, &error) == VEF_OK) {
        assert_in_range(restore.stuck, 1, 2);
        check_run();
    }
    forget_all();
    for (int round = 0; round < 3; round++)
        for (uint32_t task = 0; task < 2; task++) {
            swap_with(task, 1 - task);
            finish(task, VEF_CALL_Wait, 0);
            now_ns[task] = (uint64_t)(3 - round) * 1000000;
        }
    for (uint32_t task = 0; task < 2; task++)
        put(task, (vef_otf2_step){.kind = VEF_OTF2_STEP_COLLECTIVE,
                                  .synchronises = true,
                                  .entered_ns = UINT64_MAX >> 3,
                                  .at_ns = 1});
    state_all();
    if (vef_otf2_restore_finish(&restore, &error) == VEF_OK)
        check_run();
    forget_all();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_programs),          cmocka_unit_test(shared_envelopes),
        cmocka_unit_test(neighbours_in_a_line),     cmocka_unit_test(receives_from_nowhere),
        cmocka_unit_test(sends_that_must_not_wait), cmocka_unit_test(contradictions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
