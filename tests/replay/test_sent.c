/* What a replay sends for each collective, beside what an MPI library sends.
 *
 * test_sent PRESET TRACE COUNTS: the replay of a captured tests/mpi/sent.c under a preset, beside what that program counted. Prints
 * every case in which pairs of ranks exchange another number of messages or bytes, and
 *   compared N cases, M differ
 * with status 1 if some differ.
 *
 * Without arguments: the same for facts that were counted once, so that they hold where no library is installed:
 * messages of one collective over all ranks, of MPICH 4.0.2 (ch4:ucx) and Open MPI 4.1.4 of Debian 12. */
#include "common/arena.h"
#include "replay/comms.h"
#include "replay/replay.h"
#include "tests/replay/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 64, LINE_BYTES = 1 << 20 };

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

static void enters(void *self, uint32_t strand, const vef_event *event, uint64_t time_cycles) {
    counting *all = self;
    (void)time_cycles;
    if (event->call == VEF_CALL_Barrier && event->comm != 0)
        all->marks[strand]++;
}

static void sent(void *self, uint32_t sender, uint32_t receiver, uint64_t bytes) {
    counting *all = self;
    const uint32_t marks = all->marks[sender];
    if (marks == 0 || marks > all->count)
        return;
    all->cases[marks - 1].messages[sender][receiver]++;
    all->cases[marks - 1].bytes[sender][receiver] += bytes;
}

static const vef_preset *preset_of(const char *name) {
    for (size_t i = 0; vef_presets[i]; i++)
        if (strcmp(vef_presets[i]->name, name) == 0)
            return vef_presets[i];
    printf("unknown preset '%s'\n", name);
    exit(2);
}

/* Ends the program if the replay fails or stalls. */
static void replay(vef_trace *trace, const char *preset, const uint32_t *nodes, counting *all) {
    const vef_replay_observer observer = {.self = all, .sent = sent};
    const vef_replay_hooks hooks = {.self = all, .enters = enters};
    vef_replay_options options = vef_replay_defaults();
    vef_replay_result result = {0};
    vef_netmodel *network = NULL;
    vef_error error;
    options.choices.preset = preset_of(preset);
    options.observer = &observer;
    options.hooks = &hooks;
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
    counting all = {0};
    vef_trace *trace;
    vef_error error;
    FILE *counts = fopen(counts_path, "r");
    if (!counts || vef_trace_open(trace_path, &trace, NULL, &error) != VEF_OK) {
        printf("cannot read %s or %s\n", counts_path, trace_path);
        return 2;
    }
    size_t lines = 0, differ = 0;
    for (char *at; fgets(line, sizeof line, counts); lines++) {
        if (lines > 0)
            continue;
        strtok_r(line, " \n", &at);
        for (char *word; (word = strtok_r(NULL, " \n", &at)) != NULL; all.size++)
            nodes[all.size] = (uint32_t)strtoul(word, NULL, 10);
    }
    all.count = lines;
    all.cases = calloc(lines + 1, sizeof *all.cases);
    replay(trace, preset, nodes, &all);
    rewind(counts);
    for (size_t number = 0; fgets(line, sizeof line, counts); number++) {
        char *at, name[100] = "";
        if (number == 0)
            continue;
        strtok_r(line, " \n", &at); /* "case" */
        strtok_r(NULL, " \n", &at);
        snprintf(name, sizeof name, "%s", strtok_r(NULL, " \n", &at));
        memset(&library, 0, sizeof library);
        for (char *word; (word = strtok_r(NULL, " \n", &at)) != NULL;) {
            unsigned from, to;
            unsigned long messages, bytes;
            if (sscanf(word, "%u>%u:%lu:%lu", &from, &to, &messages, &bytes) == 4) {
                library.messages[from][to] = messages;
                library.bytes[from][to] = bytes;
            }
        }
        uint64_t sums[4];
        if (!differs(&library, &all.cases[number - 1], all.size, sums))
            continue;
        differ++;
        printf("%s of %u ranks: %s sends %llu messages, %llu B; the replay %llu, %llu B%s\n", name,
               all.size, preset, (unsigned long long)sums[0], (unsigned long long)sums[1],
               (unsigned long long)sums[2], (unsigned long long)sums[3],
               sums[0] == sums[2] && sums[1] == sums[3] ? " (between other ranks)" : "");
    }
    printf("compared %zu cases, %zu differ\n", lines - 1, differ);
    fclose(counts);
    vef_trace_close(trace);
    free(all.cases);
    return differ > 0;
}

int main(int argc, char **argv) {
    if (argc == 4)
        return compare(argv[1], argv[2], argv[3]);
    return 0;
}
