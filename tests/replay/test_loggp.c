/* Replays on model loggp. Facts from outside:
 *   - finishing times that follow by hand from the parameters of LogGOPS (Hoefler, Schneider and
 *     Lumsdaine, HPDC 2010, section 2);
 *   - an independent simulator of GOAL schedules (loggops.c), on drawn schedules;
 *   - finishing times that LogGOPSim prints;
 *   - wrong network files are refused with the place of the mistake. */
#include "common/config/config.h"
#include "common/rng.h"
#include "interchange/format.h"
#include "netmodel/netmodel.h"
#include "replay/replay.h"
#include "tests/replay/loggops.h"
#include "tests/replay/script.h"
#include "tests/traces/trace_support.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 32, PATH_BYTES = 512 };

/* The defaults of LogGOPSim, and others in which each parameter dominates once. */
static const loggops_parameters parameter_sets[] = {
    {2500, 1500, 1000, 6, 0, 65535}, {100, 50, 30, 1, 0, 65535},   {1000, 200, 1500, 2, 1, 65535},
    {2000, 500, 100, 1, 3, 900},     {0, 300, 200, 0, 0, 1000000}, {700, 0, 0, 2, 0, 300},
};
enum { SETS = sizeof parameter_sets / sizeof *parameter_sets };

static const char *network_text(const loggops_parameters *p) {
    static char text[512];
    snprintf(text, sizeof text,
             "{model: loggp, latency: %llu ns, overhead: %llu ns, gap: %llu ns, gap_per_byte: %llu "
             "ns, overhead_per_byte: %llu ns, rendezvous_bytes: %llu B}",
             (unsigned long long)p->L, (unsigned long long)p->o, (unsigned long long)p->g,
             (unsigned long long)p->G, (unsigned long long)p->O, (unsigned long long)p->S);
    return text;
}

static void check_parts(const vef_replay_result *result) {
    for (uint32_t i = 0; i < result->tasks; i++) {
        const vef_task_result *task = &result->task[i];
        assert_int_equal(ns_of(task->end_ps), ns_of(task->computing_ps) + ns_of(task->outside_ps) +
                                                  ns_of(task->communicating_ps) +
                                                  ns_of(task->waiting_ps) +
                                                  ns_of(task->overhead_ps));
    }
}

/* Imports the schedule and replays it; the end of each rank. */
static uint32_t replay_goal(const char *goal, const loggops_parameters *p, uint64_t *ends) {
    char path[PATH_BYTES];
    vef_format_report report;
    vef_error error;
    vef_trace *trace = NULL;
    vef_netmodel *network = NULL;
    uint32_t mapping[MOST_RANKS];
    const vef_replay_options options = vef_replay_defaults();
    vef_replay_result result;
    for (uint32_t i = 0; i < MOST_RANKS; i++)
        mapping[i] = i;
    snprintf(path, sizeof path, "%s", scratch_path("loggp.vef"));
    unlink(path);
    if (vef_goal_read(goal, path, &report, &error) || vef_trace_open(path, &trace, NULL, &error) ||
        vef_netmodel_open(network_text(p), NULL, 0, &network, &error) ||
        vef_replay(trace, network, mapping, &options, NULL, &result, &error))
        fail_msg("%s", error.message);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    check_parts(&result);
    const uint32_t tasks = result.tasks;
    for (uint32_t i = 0; i < tasks; i++)
        ends[i] = ns_of(result.task[i].end_ps);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_trace_close(trace);
    return tasks;
}

static void replay_text(const char *text, const loggops_parameters *p, uint64_t *ends) {
    const char *path = scratch_path("loggp.goal");
    spill(path, text, strlen(text));
    replay_goal(path, p, ends);
}

/* ---- closed forms ---- */

static uint64_t most(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* The processor's time for a message that is sent, and for one that arrives; and the interface's.
 */
static uint64_t sending(const loggops_parameters *p, uint64_t s) {
    return p->o + (s - 1) * p->O;
}
static uint64_t arriving(const loggops_parameters *p, uint64_t s) {
    return p->o + (s - 1) * most(p->O, p->G);
}
static uint64_t gap(const loggops_parameters *p, uint64_t s) {
    return p->g + (s - 1) * p->G;
}

static void one_message(void **state) {
    (void)state;
    for (unsigned i = 0; i < SETS; i++) {
        const loggops_parameters *p = &parameter_sets[i];
        uint64_t ends[MOST_RANKS];
        replay_text("num_ranks 2\nrank 0 {\nsend 200b to 1\n}\nrank 1 {\nrecv 200b from 0\n}\n", p,
                    ends);
        assert_int_equal(ends[0], sending(p, 200));
        assert_int_equal(ends[1], p->o + p->L + arriving(p, 200));
    }
}

/* k sends in a row: each waits for the processor and for the interface. */
static void sends_in_a_row(void **state) {
    (void)state;
    const char *text =
        "num_ranks 2\nrank 0 {\nsend 90b to 1\nsend 90b to 1\nsend 90b to 1\nsend 90b "
        "to 1\n}\nrank 1 {\nrecv 90b from 0\nrecv 90b from 0\nrecv 90b from 0\nrecv "
        "90b from 0\n}\n";
    for (unsigned i = 0; i < SETS; i++) {
        const loggops_parameters *p = &parameter_sets[i];
        const uint64_t step = most(sending(p, 90), gap(p, 90));
        const uint64_t arrival = most(arriving(p, 90), gap(p, 90));
        uint64_t ends[MOST_RANKS];
        replay_text(text, p, ends);
        assert_int_equal(ends[0], 3 * step + sending(p, 90));
        assert_int_equal(ends[1], p->o + p->L + 3 * most(step, arrival) + arriving(p, 90));
    }
}

/* Messages of four ranks arrive at once: the fifth rank handles one after another. */
static void arrivals_at_once(void **state) {
    (void)state;
    const char *text =
        "num_ranks 5\nrank 0 {\nsend 30b to 4\n}\nrank 1 {\nsend 30b to 4\n}\nrank 2 "
        "{\nsend 30b to 4\n}\nrank 3 {\nsend 30b to 4\n}\nrank 4 {\nrecv 30b from "
        "0\nrecv 30b from 1\nrecv 30b from 2\nrecv 30b from 3\n}\n";
    for (unsigned i = 0; i < SETS; i++) {
        const loggops_parameters *p = &parameter_sets[i];
        uint64_t ends[MOST_RANKS];
        replay_text(text, p, ends);
        assert_int_equal(ends[4],
                         p->o + p->L + 3 * most(arriving(p, 30), gap(p, 30)) + arriving(p, 30));
    }
}

/* A message that arrives during a calc waits for the processor. Rendezvous: its send ends when the
 * receive, which is posted after the calc, matches. */
static void computation_delays_arrivals(void **state) {
    (void)state;
    const char *text =
        "num_ranks 2\nrank 0 {\nsend 500b to 1\n}\nrank 1 {\na: calc 50000\nb: recv "
        "500b from 0\nb requires a\n}\n";
    for (unsigned i = 0; i < SETS; i++) {
        const loggops_parameters *p = &parameter_sets[i];
        uint64_t ends[MOST_RANKS];
        replay_text(text, p, ends);
        assert_int_equal(ends[1], 50000 + arriving(p, 500));
        /* The message arrives at 50000; the receive is posted when the processor has been asked for
         * it, at 50000 too, and finds the message. */
        assert_int_equal(ends[0], p->S < 500 ? 50000 : sending(p, 500));
    }
}

/* Schedules that are loops: GOAL as `schedgen` of LogGOPSim writes it. */

/* schedgen -p binomialtreebcast -s ranks -d bytes */
static const char *binomial_broadcast(unsigned ranks, unsigned bytes) {
    const char *path = scratch_path("broadcast.goal");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks %u\n", ranks);
    for (unsigned rank = 0; rank < ranks; rank++) {
        unsigned label = 0, first = 1;
        fprintf(out, "rank %u {\n", rank);
        for (unsigned power = 1; power < ranks; power *= 2)
            if (rank >= power && rank < 2 * power) {
                fprintf(out, "l%u: recv %ub from %u tag 0\n", ++label, bytes, rank - power);
                first = 2 * power;
            }
        for (unsigned power = first; power < ranks; power *= 2) {
            if (rank + power >= ranks)
                continue;
            fprintf(out, "l%u: send %ub to %u tag 0\n", ++label, bytes, rank + power);
            if (rank > 0)
                fprintf(out, "l%u requires l1\n", label);
        }
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
    return path;
}

/* Rank r has received after as many hops as r has bits, each of which costs a send, the latency and
 * an arrival, and waits for those of its sender's sends that precede. */
static void binomial_broadcasts(void **state) {
    (void)state;
    const loggops_parameters p = {2000, 700, 400, 5, 0, 65535};
    uint64_t ends[MOST_RANKS], latest = 0;
    assert_int_equal(replay_goal(binomial_broadcast(32, 1), &p, ends), 32);
    for (unsigned rank = 0; rank < 32; rank++) {
        uint64_t moment = 0;
        unsigned highest = 0; /* of the bits before */
        for (unsigned bit = 0; bit < 5; bit++) {
            if (!(rank >> bit & 1))
                continue;
            const unsigned earlier = bit - highest; /* sends of the sender before this one */
            moment += earlier * p.o + 2 * p.o + p.L;
            highest = bit + 1;
        }
        /* Its own sends follow. */
        moment += (5 - highest) * p.o;
        assert_int_equal(ends[rank], moment);
        latest = most(latest, moment);
    }
    assert_int_equal(latest, 5 * (2 * p.o + p.L));
}

/* ---- facts from LogGOPSim ---- */

/* schedgen -p dissemination -s ranks -d bytes */
static const char *dissemination(unsigned ranks, unsigned bytes) {
    const char *path = scratch_path("dissemination.goal");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks %u\n", ranks);
    for (unsigned rank = 0; rank < ranks; rank++) {
        unsigned label = 0;
        fprintf(out, "rank %u {\n", rank);
        for (unsigned far = 1; far < ranks; far *= 2) {
            fprintf(out, "l%u: send %ub to %u tag 0\n", ++label, bytes, (rank + far) % ranks);
            if (label > 1)
                fprintf(out, "l%u requires l%u\n", label, label - 1);
            fprintf(out, "l%u: recv %ub from %u tag 0\n", ++label, bytes,
                    (rank + ranks - far) % ranks);
        }
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
    return path;
}

/* schedgen -p linear_alltoall -s ranks -d bytes */
static const char *alltoall(unsigned ranks, unsigned bytes) {
    const char *path = scratch_path("alltoall.goal");
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks %u\n", ranks);
    for (unsigned rank = 0; rank < ranks; rank++) {
        fprintf(out, "rank %u {\n", rank);
        for (unsigned far = 1; far < ranks; far++)
            fprintf(out, "send %ub to %u tag 0\nrecv %ub from %u tag 0\n", bytes,
                    (rank + far) % ranks, bytes, (rank + ranks - far) % ranks);
        fprintf(out, "}\n");
    }
    assert_int_equal(fclose(out), 0);
    return path;
}

/* Of LogGOPSim 76451de: schedgen as above, txt2bin, LogGOPSim -f FILE -L .. -o .. -g .. -G .. -O ..
 * -S
 * .. with the numbers of `p`. */
static void logopsim_agrees(void **state) {
    (void)state;
    const struct {
        const char *(*write)(unsigned ranks, unsigned bytes);
        unsigned ranks, bytes, set;
        uint64_t ends[8];
    } cases[] = {
        {binomial_broadcast, 8, 1, 0, {4500, 8500, 8500, 12500, 8500, 12500, 12500, 16500}},
        {binomial_broadcast, 8, 1, 1, {150, 300, 300, 450, 300, 450, 450, 600}},
        {binomial_broadcast, 8, 1, 2, {3200, 3100, 3100, 3000, 4400, 4300, 4300, 4200}},
        {binomial_broadcast, 8, 1, 3, {1500, 4000, 4000, 6500, 4000, 6500, 6500, 9000}},
        {binomial_broadcast, 7, 2000, 0, {27488, 31988, 31988, 34988, 43482, 47982, 47982}},
        {binomial_broadcast, 7, 2000, 1, {4108, 4278, 4278, 4398, 6257, 6427, 6427}},
        {binomial_broadcast, 7, 2000, 2, {13195, 13095, 13095, 10796, 16394, 16294, 16294}},
        {binomial_broadcast, 7, 2000, 3, {19491, 21991, 21991, 17994, 21991, 24491, 24491}},
        {dissemination, 8, 1, 0, {16500, 16500, 16500, 16500, 16500, 16500, 16500, 16500}},
        {dissemination, 8, 1, 1, {600, 600, 600, 600, 600, 600, 600, 600}},
        {dissemination, 8, 1, 2, {4400, 4400, 4400, 4400, 4400, 4400, 4400, 4400}},
        {dissemination, 8, 1, 3, {9000, 9000, 9000, 9000, 9000, 9000, 9000, 9000}},
        {dissemination, 5, 5000, 0, {106482, 106482, 106482, 106482, 106482}},
        {dissemination, 5, 5000, 1, {15597, 15597, 15597, 15597, 15597}},
        {dissemination, 5, 5000, 2, {46191, 46191, 46191, 46191, 46191}},
        {dissemination, 5, 5000, 3, {92982, 92982, 92982, 92982, 92982}},
        {dissemination, 6, 70000, 0, {1276482, 1276482, 1276482, 1276482, 1276482, 1276482}},
        {dissemination, 6, 70000, 1, {210597, 210597, 210597, 210597, 210597, 210597}},
        {dissemination, 6, 70000, 2, {631191, 631191, 631191, 631191, 631191, 631191}},
        {dissemination, 6, 70000, 3, {1262982, 1262982, 1262982, 1262982, 1262982, 1262982}},
        {alltoall, 8, 64, 0, {23646, 23646, 23646, 23646, 23646, 23646, 23646, 23646}},
        {alltoall, 8, 64, 1, {1191, 1191, 1191, 1191, 1191, 1191, 1191, 1191}},
        {alltoall, 8, 64, 2, {11282, 11282, 11282, 11282, 11282, 11282, 11282, 11282}},
        {alltoall, 8, 64, 3, {9646, 9646, 9646, 9646, 9646, 9646, 9646, 9646}},
        {alltoall, 5, 100000, 0, {2421976, 2421976, 2421976, 2421976, 2421976}},
        {alltoall, 5, 100000, 1, {400796, 400796, 400796, 400796, 400796}},
        {alltoall, 5, 100000, 2, {1201588, 1201588, 1201588, 1201588, 1201588}},
        {alltoall, 5, 100000, 3, {2403976, 2403976, 2403976, 2403976, 2403976}},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t ends[MOST_RANKS];
        const char *path = cases[i].write(cases[i].ranks, cases[i].bytes);
        assert_int_equal(replay_goal(path, &parameter_sets[cases[i].set], ends), cases[i].ranks);
        for (unsigned rank = 0; rank < cases[i].ranks; rank++)
            if (ends[rank] != cases[i].ends[rank])
                fail_msg("case %u, rank %u: %llu instead of %llu", i, rank,
                         (unsigned long long)ends[rank], (unsigned long long)cases[i].ends[rank]);
    }
}

/* ---- drawn schedules ---- */

static loggops_statement *add(vef_rng *rng, loggops_schedule *to, unsigned rank, char kind,
                              unsigned cpu, uint64_t size) {
    const unsigned position = to->counts[rank]++;
    loggops_statement *made = &to->statements[rank][position];
    *made = (loggops_statement){.kind = kind, .cpu = cpu, .size = size};
    for (unsigned i = 0; i < LOGGOPS_NEEDS && position > 0; i++) {
        const unsigned far = position < 7 ? position : 7;
        if (vef_rng_below(rng, 5) < 3)
            continue;
        const unsigned on = made->needs[i] = position - 1 - vef_rng_below(rng, far);
        /* All that depend on a statement depend on its start, or all on its end, as the order of
         * those that do both is not defined. */
        made->how[i] = on % 4 == 0 && to->statements[rank][on].cpu == made->cpu ? 's' : 'e';
        for (unsigned k = 0; k < i; k++)
            if (made->how[k] && made->needs[k] == on)
                made->how[i] = 0;
    }
    return made;
}

/* Pairs of a send and a receive, and calcs, in an order in which all can run. */
static void draw(vef_rng *rng, loggops_schedule *to, bool several) {
    static const uint64_t sizes[] = {1, 8, 100, 400, 1000, 5000, 70000};
    const unsigned rounds = 2 + vef_rng_below(rng, 50);
    memset(to, 0, sizeof *to);
    to->ranks = 2 + vef_rng_below(rng, 5);
    for (unsigned rank = 0; rank < to->ranks; rank++)
        add(rng, to, rank, 'c', 0, vef_rng_below(rng, 3) * 50);
    for (unsigned i = 0; i < rounds; i++) {
        const unsigned a = vef_rng_below(rng, to->ranks), b = vef_rng_below(rng, to->ranks);
        const unsigned cpu = several ? vef_rng_below(rng, LOGGOPS_CPUS) : 0;
        const unsigned nic = several ? vef_rng_below(rng, LOGGOPS_CPUS) : 0;
        if (to->counts[a] + 2 > LOGGOPS_STATEMENTS || to->counts[b] + 2 > LOGGOPS_STATEMENTS)
            return;
        if (a == b) {
            add(rng, to, a, 'c', cpu,
                vef_rng_below(rng, 2) ? vef_rng_below(rng, 4000) : 100 * vef_rng_below(rng, 3));
            continue;
        }
        const uint64_t size = sizes[vef_rng_below(rng, sizeof sizes / sizeof *sizes)];
        loggops_statement *send = add(rng, to, a, 's', cpu, size);
        loggops_statement *receive = add(rng, to, b, 'r', cpu, size);
        send->tag = receive->tag = i;
        send->peer = b;
        receive->peer = a;
        send->nic = receive->nic = nic;
    }
}

static void compare_drawn(uint64_t seed, unsigned count, bool several) {
    static loggops_schedule schedule;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s", scratch_path("drawn.goal"));
    vef_rng rng = vef_rng_make(seed, 0, 0);
    for (unsigned i = 0; i < count; i++) {
        const loggops_parameters *p = &parameter_sets[i % SETS];
        uint64_t expected[MOST_RANKS], ends[MOST_RANKS];
        draw(&rng, &schedule, several);
        loggops_write(&schedule, path);
        if (!loggops_simulate(&schedule, p, expected))
            fail_msg("schedule %u cannot run", i);
        replay_goal(path, p, ends);
        for (unsigned rank = 0; rank < schedule.ranks; rank++)
            if (ends[rank] != expected[rank])
                fail_msg("schedule %u, rank %u: %llu instead of %llu", i, rank,
                         (unsigned long long)ends[rank], (unsigned long long)expected[rank]);
    }
}

static void drawn_schedules(void **state) {
    (void)state;
    compare_drawn(11, 600, false);
}

static void drawn_schedules_on_two_processors(void **state) {
    (void)state;
    compare_drawn(12, 300, true);
}

/* ---- programs ---- */

/* Recursive doubling among 2^k tasks: in each round every task sends, and handles an arrival. */
static void allreduce(void **state) {
    (void)state;
    const loggops_parameters p = {3000, 400, 100, 2, 0, 65535};
    script *self = script_new(8);
    vef_replay_options options = vef_replay_defaults();
    for (uint32_t task = 0; task < 8; task++)
        say_collective(self, task, 500, VEF_CALL_Allreduce, 0, -1, 8);
    say_finalize_all(self);
    assert_int_equal(time_of(self, network_text(&p), &options),
                     500 + 3 * (2 * p.o + p.L + 7 * p.G));
    script_free(self);
}

/* A blocking send and receive, sends beside computation, and probes: the parts add up (replay_of
 * checks it), and overhead is o for each send and each arrival. */
static void parts_of_time(void **state) {
    (void)state;
    const loggops_parameters p = {3000, 400, 100, 0, 0, 65535};
    script *self = script_new(2);
    const vef_replay_options options = vef_replay_defaults();
    uint64_t requests[2];
    requests[0] = say_isend(self, 0, 1000, 1, 10, 0);
    requests[1] = say_ireceive(self, 0, 0, 1);
    say_wait(self, 0, 2000, VEF_CALL_Waitall, 2, requests);
    say_receive(self, 1, 0, 0);
    say_send(self, 1, 100, 0, 10, 0);
    say_finalize_all(self);
    vef_replay_result result = replay_of(self, network_text(&p), &options, NULL);
    /* Task 1: message at 1000 + o + L, handled o later; 100 ns; its send. */
    assert_int_equal(ns_of(result.task[1].end_ps), 1000 + 400 + 3000 + 400 + 100 + 400);
    assert_int_equal(ns_of(result.task[1].computing_ps), 100);
    assert_int_equal(ns_of(result.task[1].overhead_ps), 800);
    assert_int_equal(ns_of(result.task[0].end_ps),
                     1000 + 400 + 3000 + 400 + 100 + 400 + 3000 + 400);
    assert_int_equal(ns_of(result.task[0].computing_ps), 3000);
    assert_int_equal(ns_of(result.task[0].overhead_ps), 800);
    vef_replay_result_release(&result);
    script_free(self);
}

/* A broadcast that the call only starts costs o for each of its messages on the task's processor.
 */
static void broadcast_beside(void **state) {
    (void)state;
    const loggops_parameters p = {3000, 400, 100, 0, 0, 65535};
    script *self = script_new(4);
    const vef_replay_options options = vef_replay_defaults();
    for (uint32_t task = 0; task < 4; task++) {
        const uint64_t request = say_icollective(self, task, 0, VEF_CALL_Ibcast, 0, 0, 1);
        say_wait(self, task, 0, VEF_CALL_Wait, 1, &request);
    }
    say_finalize_all(self);
    vef_replay_result result = replay_of(self, network_text(&p), &options, NULL);
    assert_int_equal(ns_of(result.time_ps), 2 * (2 * p.o + p.L));
    assert_int_equal(ns_of(result.task[0].end_ps), 2 * p.o);
    vef_replay_result_release(&result);
    script_free(self);
}

/* ---- refused ---- */

static void wrong_files_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"model: loggp\nlatency: -1 ns\n", "net.yaml:2:10: "},
        {"model: loggp\nlatency: 5\n", "net.yaml:2:10: "},
        {"model: loggp\nL: 5 ns\n", "latency"},
        {"model: loggp\nlatency: 2.5004 ns\n",
         "net.yaml:2:10: latency: 2.5004 ns is not a whole number of ps"},
        {"model: loggp\ngap_per_byte: 0.0005 ns\n",
         "net.yaml:2:15: gap_per_byte: 0.0005 ns is not"},
        {"model: loggp\ngap_per_byte: 2 s\n", "net.yaml:2:15: "},
        {"model: loggp\nrendezvous_bytes: 64\n", "net.yaml:2:19: "},
        {"model: loggp\ntopology: {family: ring}\n", "net.yaml:2:1: "},
        {"model: loggp\nhost:\n  send_overhead: 1 us\n",
         "net.yaml:3:18: host.send_overhead: not supported with model loggp"},
        {"model: loggp\nhost:\n  receive_overhead: 1 us\n", "net.yaml:3:21: host.receive_overhead"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_arena arena = {0};
        vef_node *root = NULL;
        vef_netmodel *model = NULL;
        vef_error error = {0};
        assert_int_equal(vef_config_parse(cases[i].text, "net.yaml", &arena, &root, &error),
                         VEF_OK);
        assert_int_equal(vef_netmodel_create(root, &model, &error), VEF_INVALID);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' gave: %s", cases[i].text, error.message);
        vef_arena_release(&arena);
    }
}

static void windows_are_refused(void **state) {
    (void)state;
    script *self = script_new(2);
    vef_netmodel *network = NULL;
    vef_error error = {0};
    vef_replay_result result;
    const uint32_t mapping[] = {0, 1};
    const vef_replay_options options = vef_replay_defaults();
    self->comms[0].made_by = VEF_CALL_Win_create;
    say_finalize_all(self);
    assert_int_equal(vef_netmodel_open("{model: loggp}", NULL, 0, &network, &error), VEF_OK);
    assert_int_equal(replay_on(self, network, &options, mapping, &result, &error), VEF_UNSUPPORTED);
    assert_non_null(strstr(error.message, "one-sided communication"));
    vef_netmodel_destroy(network);
    script_free(self);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_message),         cmocka_unit_test(sends_in_a_row),
        cmocka_unit_test(arrivals_at_once),    cmocka_unit_test(computation_delays_arrivals),
        cmocka_unit_test(binomial_broadcasts), cmocka_unit_test(logopsim_agrees),
        cmocka_unit_test(drawn_schedules),     cmocka_unit_test(drawn_schedules_on_two_processors),
        cmocka_unit_test(allreduce),           cmocka_unit_test(parts_of_time),
        cmocka_unit_test(broadcast_beside),    cmocka_unit_test(wrong_files_are_refused),
        cmocka_unit_test(windows_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
