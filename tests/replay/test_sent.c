/* What a replay sends for each collective, beside what an MPI library sends.
 *
 * test_sent PRESET TRACE COUNTS: the replay of a captured tests/mpi/sent.c under a preset, beside
 * what that program counted. Prints every case in which pairs of ranks exchange another number of
 * messages or bytes, and compared N cases, M differ with status 1 if some differ.
 *
 * Without arguments: the same for facts that were counted once, so that they hold where no library
 * is installed: messages of one collective over all ranks, of MPICH 4.0.2 (ch4:ucx) and Open
 * MPI 4.1.4 of Debian 12. */
#include "common/arena.h"
#include "replay/collectives/nodes.h"
#include "replay/replay.h"
#include "traces/event.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, LINE_BYTES = 1 << 20, EACH_ON_ITS_OWN = 0, BY_TURNS = -1 };

/* Counted facts. Nodes: so many consecutive ranks on each, EACH_ON_ITS_OWN, or two nodes BY_TURNS.
 * Messages to oneself are not among them. bytes of the call as in a trace; 0 of sent_bytes: not
 * known. */
static const struct {
    const char *preset;
    uint16_t call;
    uint32_t ranks;
    int node_ranks;
    uint64_t bytes;
    bool in_place;
    uint64_t messages, sent_bytes;
} facts[] = {
    {"mpich", VEF_CALL_Allreduce, 8, BY_TURNS, 8, false, 14, 0},
    {"mpich", VEF_CALL_Allreduce, 8, BY_TURNS, 100, false, 16, 0},
    {"mpich", VEF_CALL_Allreduce, 8, BY_TURNS, 65536, false, 32, 0},
    {"mpich", VEF_CALL_Allreduce, 8, 4, 8, false, 14, 0},
    {"mpich", VEF_CALL_Allreduce, 8, EACH_ON_ITS_OWN, 65536, false, 48, 0},
    {"mpich", VEF_CALL_Bcast, 8, BY_TURNS, 65536, false, 7, 0},
    {"mpich", VEF_CALL_Bcast, 8, BY_TURNS, 600000, false, 63, 0},
    {"mpich", VEF_CALL_Bcast, 8, EACH_ON_ITS_OWN, 70000, false, 31, 0},
    {"mpich", VEF_CALL_Reduce, 8, BY_TURNS, 1024, false, 7, 0},
    {"mpich", VEF_CALL_Reduce, 8, BY_TURNS, 8192, false, 25, 0},
    {"mpich", VEF_CALL_Reduce, 8, EACH_ON_ITS_OWN, 8192, false, 31, 0},
    {"mpich", VEF_CALL_Barrier, 8, 8, 0, false, 31, 0},
    {"mpich", VEF_CALL_Barrier, 8, BY_TURNS, 0, false, 24, 0},
    {"mpich", VEF_CALL_Barrier, 8, EACH_ON_ITS_OWN, 0, false, 24, 0},
    {"mpich", VEF_CALL_Alltoall, 8, EACH_ON_ITS_OWN, 8, false, 56, 448},
    {"mpich", VEF_CALL_Alltoall, 8, EACH_ON_ITS_OWN, 8, true, 56, 448},
    {"mpich", VEF_CALL_Alltoall, 11, EACH_ON_ITS_OWN, 8, true, 110, 880},
    {"mpich", VEF_CALL_Alltoall, 11, EACH_ON_ITS_OWN, 8, false, 44, 0},
    {"mpich", VEF_CALL_Reduce_scatter_block, 8, BY_TURNS, 600000, false, 56, 0},
    {"mpich", VEF_CALL_Scan, 8, BY_TURNS, 1024, false, 24, 0},
    {"mpich", VEF_CALL_Comm_dup, 6, EACH_ON_ITS_OWN, 0, false, 25, 0},
    {"mpich", VEF_CALL_Comm_dup, 8, BY_TURNS, 0, false, 55, 0},
    {"mpich", VEF_CALL_Comm_dup, 11, EACH_ON_ITS_OWN, 0, false, 64, 0},
    {"openmpi", VEF_CALL_Allreduce, 6, EACH_ON_ITS_OWN, 20000, false, 24, 220000},
};

/* The messages from rank to rank. */
typedef struct sent_pairs {
    uint64_t messages[MOST_RANKS][MOST_RANKS], bytes[MOST_RANKS][MOST_RANKS];
} sent_pairs;

typedef struct counting {
    uint32_t size;
    uint32_t marks[MOST_RANKS]; /* barriers of one rank, which each task has entered */
    sent_pairs *cases;
    size_t count;
} counting;

static void enters(void *self, uint32_t strand, const vef_event *event, uint64_t time_ps) {
    counting *counter = self;
    (void)time_ps;
    if (event->call == VEF_CALL_Barrier && event->comm != 0)
        counter->marks[strand]++;
}

static void moves(void *self, uint32_t sender, uint32_t receiver, uint64_t bytes) {
    counting *counter = self;
    const uint32_t marks = counter->marks[sender];
    if (marks == 0 || marks > counter->count)
        return;
    counter->cases[marks - 1].messages[sender][receiver]++;
    counter->cases[marks - 1].bytes[sender][receiver] += bytes;
}

static const vef_preset *preset_of(const char *name) {
    for (size_t i = 0; vef_presets[i]; i++)
        if (strcmp(vef_presets[i]->name, name) == 0)
            return vef_presets[i];
    printf("unknown preset '%s'\n", name);
    exit(2);
}

/* Ends the program if the replay fails or stalls. */
static void replay(vef_trace *trace, const char *preset, const uint32_t *nodes, counting *counter) {
    const vef_listener listener = {.context = counter, .enters = enters, .moves = moves};
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result = {0};
    vef_netmodel *network = NULL;
    vef_error error;
    options.choices.preset = preset_of(preset);
    options.listeners = &listener;
    vef_code code = vef_netmodel_open("{model: ideal}", NULL, 0, &network, &error);
    if (code == VEF_OK)
        code = vef_replay(trace, network, nodes, &options, NULL, &result, &error);
    if (code != VEF_OK || result.stall != VEF_STALL_NONE) {
        printf("the replay fails: %s\n", code != VEF_OK ? error.message : result.stall_text);
        exit(2);
    }
    vef_replay_result_release(&result);
    vef_netmodel_destroy(network);
}

/* The sums over all pairs, and whether all pairs agree. */
static bool differs(const sent_pairs *library, const sent_pairs *ours, uint32_t size,
                    uint64_t sums[4]) {
    bool differ = false;
    memset(sums, 0, 4 * sizeof *sums);
    for (uint32_t i = 0; i < size; i++)
        for (uint32_t j = 0; j < size; j++) {
            sums[0] += library->messages[i][j];
            sums[1] += library->bytes[i][j];
            sums[2] += ours->messages[i][j];
            sums[3] += ours->bytes[i][j];
            differ |= library->messages[i][j] != ours->messages[i][j] ||
                      library->bytes[i][j] != ours->bytes[i][j];
        }
    return differ;
}

static int compare(const char *preset, const char *trace_path, const char *counts_path) {
    static char line[LINE_BYTES];
    static sent_pairs library;
    uint32_t nodes[MOST_RANKS] = {0};
    counting counter = {0};
    vef_trace *trace;
    vef_error error;
    FILE *counts = fopen(counts_path, "r");
    if (!counts || vef_trace_open(trace_path, &trace, NULL, &error) != VEF_OK) {
        printf("cannot read %s or %s\n", counts_path, trace_path);
        return 2;
    }
    size_t lines = 0, differ = 0;
    for (char *cursor; fgets(line, sizeof line, counts); lines++) {
        if (lines > 0)
            continue;
        strtok_r(line, " \n", &cursor);
        for (char *word; (word = strtok_r(NULL, " \n", &cursor)) != NULL; counter.size++)
            nodes[counter.size] = (uint32_t)strtoul(word, NULL, 10);
    }
    counter.count = lines;
    counter.cases = calloc(lines + 1, sizeof *counter.cases);
    replay(trace, preset, nodes, &counter);
    rewind(counts);
    for (size_t number = 0; fgets(line, sizeof line, counts); number++) {
        char *cursor, name[100] = "";
        if (number == 0)
            continue;
        strtok_r(line, " \n", &cursor); /* "case" */
        strtok_r(NULL, " \n", &cursor);
        snprintf(name, sizeof name, "%s", strtok_r(NULL, " \n", &cursor));
        memset(&library, 0, sizeof library);
        for (char *word; (word = strtok_r(NULL, " \n", &cursor)) != NULL;) {
            unsigned from, to;
            unsigned long messages, bytes;
            if (sscanf(word, "%u>%u:%lu:%lu", &from, &to, &messages, &bytes) == 4) {
                library.messages[from][to] = messages;
                library.bytes[from][to] = bytes;
            }
        }
        uint64_t sums[4];
        if (!differs(&library, &counter.cases[number - 1], counter.size, sums))
            continue;
        differ++;
        printf("%s of %u ranks: %s sends %llu messages, %llu B; the replay %llu, %llu B%s\n", name,
               counter.size, preset, (unsigned long long)sums[0], (unsigned long long)sums[1],
               (unsigned long long)sums[2], (unsigned long long)sums[3],
               sums[0] == sums[2] && sums[1] == sums[3] ? " (between other ranks)" : "");
    }
    printf("compared %zu cases, %zu differ\n", lines - 1, differ);
    fclose(counts);
    vef_trace_close(trace);
    free(counter.cases);
    return differ > 0;
}

/* The messages of a call under a preset, and their bytes. */
static uint64_t plan_sends(size_t fact, uint64_t *sent_bytes) {
    uint32_t names[MOST_RANKS];
    vef_arena arena = {0};
    vef_plan plan = {0};
    vef_error error;
    uint64_t messages = 0;
    const vef_choices choices = {.preset = preset_of(facts[fact].preset)};
    const int on_node = facts[fact].node_ranks;
    for (uint32_t rank = 0; rank < facts[fact].ranks; rank++)
        names[rank] = on_node == BY_TURNS ? rank % 2 : on_node ? rank / (uint32_t)on_node : rank;
    *sent_bytes = 0;
    for (uint32_t rank = 0; rank < facts[fact].ranks; rank++) {
        const vef_collective call = {.call = facts[fact].call,
                                     .rank = rank,
                                     .size = facts[fact].ranks,
                                     .bytes = facts[fact].bytes,
                                     .elements = facts[fact].bytes / 4,
                                     .commutative = true,
                                     .in_place = facts[fact].in_place,
                                     .made_size = facts[fact].ranks,
                                     .made_rank = rank,
                                     .nodes = vef_nodes_make(names, facts[fact].ranks, &arena),
                                     .choices = &choices};
        if (vef_plan_make(vef_algorithm_choose(&call), &call, &plan, &error) != VEF_OK)
            exit(2);
        for (size_t i = 0; i < plan.count; i++)
            if (plan.steps[i].kind == VEF_STEP_SEND) {
                messages++;
                *sent_bytes += plan.steps[i].bytes;
            }
    }
    vef_plan_release(&plan);
    vef_arena_release(&arena);
    return messages;
}

static int check_facts(void) {
    int failures = 0;
    for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
        uint64_t sent_bytes;
        const uint64_t messages = plan_sends(i, &sent_bytes);
        if (messages == facts[i].messages &&
            (facts[i].sent_bytes == 0 || sent_bytes == facts[i].sent_bytes))
            continue;
        failures++;
        printf(
            "FAIL: %s of %u ranks, %llu B: %s sends %llu messages, %llu B; the plans %llu, %llu "
            "B\n",
            vef_call_name(facts[i].call), facts[i].ranks, (unsigned long long)facts[i].bytes,
            facts[i].preset, (unsigned long long)facts[i].messages,
            (unsigned long long)facts[i].sent_bytes, (unsigned long long)messages,
            (unsigned long long)sent_bytes);
    }
    return failures > 0;
}

int main(int argc, char **argv) {
    return argc == 4 ? compare(argv[1], argv[2], argv[3]) : check_facts();
}
