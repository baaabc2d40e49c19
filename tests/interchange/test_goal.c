/* Reading GOAL. Invariants:
 *   - a graph of computation and messages that cost nothing takes as long as its longest path,
 * which is computed here from the definition of `requires` and `irequires` alone;
 *   - what is no GOAL is refused with the line that is wrong. */
#include "common/config/config.h"
#include "common/rng.h"
#include "interchange/format.h"
#include "netmodel/netmodel.h"
#include "replay/replay.h"
#include "tests/replay/script.h"
#include "tests/traces/trace_support.h"
#include "traces/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void write_text(const char *path, const char *text) {
    spill(path, text, strlen(text));
}

static void wrong_text_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", "wrong.goal: empty"},
        {"rank 0 {\n}\n", ":1: expected 'num_ranks N' as the first statement"},
        {"num_ranks x\n", ":1: num_ranks: expected a number"},
        {"num_ranks 0\n", "expected at least one rank"},
        {"num_ranks 1000000\n\n\n\n", "1000000 ranks, but the file has only"},
        {"num_ranks 1\n// nothing\n", "ends before rank 0"},
        {"num_ranks 2\nrank 1 {\n}\nrank 0 {\n}\n", ":2: ranks must be in ascending order"},
        {"num_ranks 1\nrank 0\n{\n}\n", ":2: expected '{' after 'rank N'"},
        {"num_ranks 1\nrank 0 {\ncalc 1\n", "missing '}'"},
        {"num_ranks 1\nrank 0 {\n}\ncalc 1\n", ":4: unexpected text after the last rank"},
        {"num_ranks 1\nrank 0 {\nsend 5 to 0\n}\n", ":3: the size: expected a number"},
        {"num_ranks 1\nrank 0 {\nsend 5b from 0\n}\n", ":3: expected a size followed by 'to'"},
        {"num_ranks 1\nrank 0 {\nsend 5b to 1\n}\n", ":3: the rank: expected a number up to 0"},
        {"num_ranks 1\nrank 0 {\nsend 5b to -1\n}\n", ":3: the rank: expected a number"},
        {"num_ranks 1\nrank 0 {\nsend 5b to 0 cpu 1 tag 2\n}\n", "unexpected text 'tag'"},
        {"num_ranks 1\nrank 0 {\ncalc 5 nic 1\n}\n", "unexpected text 'nic'"},
        {"num_ranks 1\nrank 0 {\nsend 5b to 0 cpu 256\n}\n", "cpu: expected a number up to 255"},
        {"num_ranks 1\nrank 0 {\na: calc 5\na: calc 6\n}\n", ":4: duplicate label"},
        {"num_ranks 1\nrank 0 {\na: calc 5\na requires b\n}\n", "unknown label of this rank 'b'"},
        {"num_ranks 1\nrank 0 {\na: calc 5\na needs a\n}\n",
         "':', requires or irequires after a label, found 'needs'"},
        {"num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb irequires a\n}\n",
         "depends on itself"},
        {"num_ranks 1\nrank 0 {\n7up: calc 5\n}\n", ":3:"},
        {"num_ranks 1\nrank 0 {\ncalc 99999999999999999999\n}\n",
         ":3: the time: expected a number"},
        {"num_ranks 1\nrank 0 {\nfly 5\n}\n", ":3:"},
    };
    const char *path = scratch_path("wrong.goal"), *trace = scratch_path("wrong.vef");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_error error = {0};
        vef_format_report report;
        write_text(path, cases[i].text);
        assert_int_equal(vef_goal_read(path, trace, &report, &error), VEF_INVALID);
        if (!strstr(error.message, cases[i].says))
            fail_msg("'%s' gave: %s", cases[i].text, error.message);
        assert_null(fopen(trace, "rb"));
    }
}

/* ---- drawn graphs ---- */

enum { RANKS = 4, NODES = 60, ALL = RANKS * NODES };

typedef struct drawn {
    char kind; /* 's', 'r', 'c' */
    uint64_t size;
    unsigned peer, tag;
    int partner; /* the send of a receive, over all ranks */
    int on[3];
    char how[3]; /* 0: none; 'e': its end; 's': its start */
    uint64_t start, end;
} drawn;

static drawn nodes[RANKS][NODES];
static unsigned counts[RANKS];

static int add(vef_rng *rng, unsigned rank, char kind) {
    unsigned position = counts[rank]++;
    drawn *node = &nodes[rank][position];
    *node = (drawn){.kind = kind};
    for (unsigned i = 0; i < 3 && position > 0; i++) {
        unsigned far = position < 6 ? position : 6;
        if (vef_rng_below(rng, 3) == 0)
            continue;
        node->on[i] = (int)(position - 1 - vef_rng_below(rng, far));
        node->how[i] = vef_rng_below(rng, 4) == 0 ? 's' : 'e';
    }
    return (int)position;
}

/* When it starts by its own rank's dependencies. */
static uint64_t ready(unsigned rank, const drawn *node) {
    uint64_t moment = 0;
    for (unsigned i = 0; i < 3; i++) {
        const drawn *on = &nodes[rank][node->on[i]];
        uint64_t from = node->how[i] == 'e' ? on->end : node->how[i] == 's' ? on->start : 0;
        moment = from > moment ? from : moment;
    }
    return moment;
}

/* Nodes come in an order in which all can run, so that nothing waits in a circle. A send is over
 * when it starts, a receive when both it and its send have started. The longest path is the result.
 */
static uint64_t draw(vef_rng *rng, bool with_calcs) {
    uint64_t longest = 0;
    memset(counts, 0, sizeof counts);
    for (;;) {
        unsigned a = vef_rng_below(rng, RANKS), b = vef_rng_below(rng, RANKS);
        if (counts[a] + 2 > NODES || counts[b] + 2 > NODES)
            return longest;
        if (with_calcs && vef_rng_below(rng, 2)) {
            drawn *node = &nodes[a][add(rng, a, 'c')];
            node->size = vef_rng_below(rng, 1000);
            node->start = ready(a, node);
            node->end = node->start + node->size;
            longest = node->end > longest ? node->end : longest;
            continue;
        }
        drawn *send = &nodes[a][add(rng, a, 's')];
        send->peer = b;
        send->tag = vef_rng_below(rng, 2);
        send->size = vef_rng_below(rng, 5000);
        send->start = send->end = ready(a, send);
        drawn *receive = &nodes[b][add(rng, b, 'r')];
        receive->peer = a;
        receive->tag = send->tag;
        receive->size = send->size;
        receive->start = ready(b, receive);
        receive->end = send->end > receive->start ? send->end : receive->start;
    }
}

static void write_drawn(const char *path) {
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "num_ranks %d\n", RANKS);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        fprintf(out, "rank %u {\n", rank);
        for (unsigned i = 0; i < counts[rank]; i++) {
            const drawn *node = &nodes[rank][i];
            if (node->kind == 'c')
                fprintf(out, "n%u: calc %llu cpu %u\n", i, (unsigned long long)node->size,
                        1 + i % 255);
            else
                fprintf(out, "n%u: %s %llub %s %u tag %u\n", i, node->kind == 's' ? "send" : "recv",
                        (unsigned long long)node->size, node->kind == 's' ? "to" : "from",
                        node->peer, node->tag);
        }
        for (unsigned i = 0; i < counts[rank]; i++)
            for (unsigned k = 0; k < 3; k++)
                if (nodes[rank][i].how[k])
                    fprintf(out, "n%u %s n%d\n", i,
                            nodes[rank][i].how[k] == 's' ? "irequires" : "requires",
                            nodes[rank][i].on[k]);
        fputs("}\n", out);
    }
    assert_int_equal(fclose(out), 0);
}

/* ---- the binary form, as interchange/goal/read.c describes it ---- */

typedef struct bytes {
    uint8_t data[1 << 20];
    size_t count;
} bytes;

static void put(bytes *to, uint64_t value, unsigned size) {
    assert_true(to->count + size <= sizeof to->data);
    for (unsigned i = 0; i < size; i++, value >>= 8)
        to->data[to->count++] = (uint8_t)value;
}

/* The nodes of the rank that wait for the end, or the start, of one, appended to `entries`. */
static void put_users(bytes *to, bytes *entries, unsigned rank, unsigned on, char how) {
    const size_t first = entries->count / 4;
    for (unsigned i = 0; i < counts[rank]; i++)
        for (unsigned k = 0; k < 3; k++)
            if (nodes[rank][i].how[k] == how && nodes[rank][i].on[k] == (int)on)
                put(entries, i, 4);
    put(to, entries->count / 4 - first, 4);
    put(to, first, 4);
}

static void put_rank(bytes *to, unsigned rank) {
    static bytes entries;
    unsigned roots = 0;
    entries.count = 0;
    for (unsigned i = 0; i < counts[rank]; i++)
        roots += !memcmp(nodes[rank][i].how, "\0\0", 3);
    put(to, counts[rank], 4);
    put(to, roots, 4);
    for (unsigned i = 0; i < counts[rank]; i++)
        if (!memcmp(nodes[rank][i].how, "\0\0", 3))
            put(to, i, 4);
    for (unsigned i = 0; i < counts[rank]; i++) {
        const drawn *node = &nodes[rank][i];
        unsigned depends = 0;
        for (unsigned k = 0; k < 3; k++)
            depends += node->how[k] != 0;
        put(to, depends, 4);
        put(to, node->kind == 's' ? 1 : node->kind == 'r' ? 2 : 3, 1);
        put(to, node->peer, 4);
        put(to, node->size, 8);
        put(to, node->tag, 4);
        put(to, node->kind == 'c' ? 1 + i % 255 : 0, 1);
        put(to, 0, 1);
        put_users(to, &entries, rank, i, 'e');
        put_users(to, &entries, rank, i, 's');
    }
    for (size_t i = 0; i < entries.count; i++)
        put(to, entries.data[i], 1);
}

static void make_binary(bytes *to) {
    static bytes ranks;
    to->count = ranks.count = 0;
    put(to, 4223, 8);
    put(to, RANKS, 4);
    put(to, 255, 1);
    put(to, 0, 1);
    for (unsigned rank = 0; rank < RANKS; rank++) {
        const size_t before = 6 + 16 * RANKS + ranks.count;
        put_rank(&ranks, rank);
        put(to, before, 8);
        put(to, 6 + 16 * RANKS + ranks.count, 8);
    }
    for (size_t i = 0; i < ranks.count; i++)
        put(to, ranks.data[i], 1);
}

static uint64_t replayed(const char *path) {
    vef_error error;
    vef_trace *trace = NULL;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_netmodel *network = NULL;
    uint32_t mapping[RANKS] = {0, 1, 2, 3};
    const vef_replay_options options = vef_replay_defaults(); /* all messages are eager */
    vef_replay_result result;
    if (vef_config_parse(script_ideal, "ideal", &arena, &root, &error) ||
        vef_netmodel_create(root, &network, &error))
        fail_msg("%s", error.message);
    vef_arena_release(&arena);
    if (vef_trace_open(path, &trace, NULL, &error))
        fail_msg("%s", error.message);
    if (vef_replay(trace, network, mapping, &options, NULL, &result, &error))
        fail_msg("%s", error.message);
    if (result.stall != VEF_STALL_NONE)
        fail_msg("stalled: %s", result.stall_text);
    uint64_t time = ns_of(result.time_ps);
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
    vef_trace_close(trace);
    return time;
}

static void tell_fault(void *context, const char *sentence) {
    (void)context;
    print_error("%s\n", sentence);
}

static uint64_t faults_in(const char *path) {
    vef_error error;
    vef_trace *trace = NULL;
    uint64_t faults = 0;
    const vef_check_options options = {.limit = 5, .report = tell_fault};
    if (vef_trace_open(path, &trace, NULL, &error) || vef_check(trace, &options, &faults, &error))
        fail_msg("%s", error.message);
    vef_trace_close(trace);
    return faults;
}

static void time_is_the_longest_path(void **state) {
    (void)state;
    vef_rng rng = vef_rng_make(5, 0, 0);
    const char *goal = scratch_path("drawn.goal"), *trace = scratch_path("drawn.vef");
    for (int i = 0; i < 200; i++) {
        uint64_t longest = draw(&rng, true);
        vef_format_report report;
        vef_error error;
        write_drawn(goal);
        unlink(trace);
        if (vef_goal_read(goal, trace, &report, &error))
            fail_msg("graph %d: %s", i, error.message);
        assert_string_equal(report.notes.text, "");
        if (faults_in(trace))
            fail_msg("graph %d: the trace of it is inconsistent", i);
        uint64_t time = replayed(trace);
        if (time != longest)
            fail_msg("graph %d takes %llu, its longest path %llu", i, (unsigned long long)time,
                     (unsigned long long)longest);
        static bytes binary;
        make_binary(&binary);
        spill(goal, (const char *)binary.data, binary.count);
        unlink(trace);
        if (vef_goal_read(goal, trace, &report, &error))
            fail_msg("graph %d, binary: %s", i, error.message);
        assert_int_equal(faults_in(trace), 0);
        assert_int_equal(replayed(trace), longest);
    }
}

/* A file that ends early, or in which one number is another. */
static void damaged_binaries_are_refused(void **state) {
    (void)state;
    static bytes whole, damaged;
    vef_rng rng = vef_rng_make(7, 0, 0);
    const char *goal = scratch_path("damaged.goal"), *trace = scratch_path("damaged.vef");
    vef_format_report report;
    draw(&rng, true);
    make_binary(&whole);
    const size_t rank_0 = 8 + 6 + 16 * RANKS, roots = whole.data[rank_0 + 4],
                 node = rank_0 + 8 + 4 * roots, entries = node + 39 * counts[0];
    const struct {
        size_t place;
        const char *says;
    } cases[] = {
        {8, ""},                                          /* ranks */
        {rank_0, ""},                                     /* nodes */
        {rank_0 + 7, "the file ends within the rank"},    /* roots */
        {node + 4, "expected sends, receives and calcs"}, /* kind */
        {node + 26, "the file ends within the rank"},     /* count of entries */
        {entries + 1, "its dependencies are out of range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        vef_error error = {0};
        damaged = whole;
        damaged.data[cases[i].place] += 100;
        spill(goal, (const char *)damaged.data, damaged.count);
        if (vef_goal_read(goal, trace, &report, &error) != VEF_CORRUPT ||
            !strstr(error.message, cases[i].says) || !strstr(error.message, "damaged.goal: rank "))
            fail_msg("byte %zu: %s", cases[i].place, error.message);
    }
    for (size_t size = 8; size < whole.count; size += 97) {
        vef_error error = {0};
        spill(goal, (const char *)whole.data, size);
        assert_int_equal(vef_goal_read(goal, trace, &report, &error), VEF_CORRUPT);
        assert_non_null(strstr(error.message, "damaged.goal: rank "));
    }
}

/* Blanks and ends of lines where LogGOPSim's grammar has them: ATLAHS writes `cpu 1nic 0`. Threads
 * are named by their cpu and interface. */
static void words_need_no_blanks(void **state) {
    (void)state;
    const char *goal = scratch_path("words.goal"), *trace = scratch_path("words.vef");
    vef_format_report report;
    write_text(goal,
               "num_ranks 2 rank 0{a:send 5 b to 1tag 3cpu 1nic 2\n"
               "b: send 6b to 1 tag 4 cpu 1 nic 0\n} rank 1 { // its receives\n"
               "recv 5b from 0 tag 3 nic 2\nrecv 6b from 0 tag 4 /* one */ cpu 1\n}");
    OK(vef_goal_read(goal, trace, &report, error));
    char *text = sound_text(trace);
    begins_task(text, 0,
                "Init left=0\nMark name=\"cpu 1 nic 2\" entered=0 left=0\n"
                "Isend to=1 bytes=5 tag=3 ordinal=0 entered=0 left=0\n"
                "Wait requests=0 entered=0 left=0\nFinalize entered=0 left=0\nthread 1\n"
                "Mark name=\"cpu 1\" left=0\n"
                "Isend to=1 bytes=6 tag=4 ordinal=1 entered=0 left=0\n");
    begins_task(text, 1,
                "Init left=0\nMark name=\"cpu 0 nic 2\" entered=0 left=0\n"
                "Irecv from=0 bytes=5 tag=3 ordinal=0 entered=0 left=0\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_text_is_refused),
        cmocka_unit_test(time_is_the_longest_path),
        cmocka_unit_test(damaged_binaries_are_refused),
        cmocka_unit_test(words_need_no_blanks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
