/* The proof of freedom from deadlock (`vef verify`) on every pair of the tables of topologies and
 * routings, at two sizes, with its cost: writes docs/results/verification.md (make verification).
 *
 *   build/bench/verification [FAMILY...] >docs/results/verification.md
 *
 * The sizes of a family are its first sample and its larger example (topology.h). Routings have
 * their default parameters. Each proof runs in a process of its own, so that its CPU time can be
 * limited; times are CPU times of all threads together, and include the tables of the routing. */
#include "netmodel/deadlock/deadlock.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Queues that misroutes and bubbles fit into. */
enum { QUEUE_PACKETS = 8, LIMIT_S = 20 };
static const unsigned long long MOST_BYTES = 1ull << 32;

typedef enum outcome {
    NOT_SUPPORTED,
    OTHER_ROW, /* another routing of the same name is for this topology */
    AS_OTHER,  /* the same routing as with virtual channels: not proven again */
    REFUSED,
    JUDGED,
    NO_MEMORY,
    NO_TIME,
    CRASHED,
} outcome;

/* Passed from the process of a proof as it is. */
typedef struct result {
    outcome outcome;
    uint32_t least_channels, channels; /* of links */
    vef_deadlock_verdict verdict;
    bool bounded;
    uint32_t longest_hops;
    uint64_t states, dependencies;
    char message[512];
} result;

typedef struct totals {
    uint32_t proven, failed, refused, over, not_supported, topologies;
    double seconds;
} totals;

static _Noreturn void stop(const char *what) {
    fprintf(stderr, "verification: %s\n", what);
    exit(1);
}

static void find_channels(const vef_routing *routing, result *found) {
    const vef_topology *topology = routing->topology;
    found->channels = found->least_channels = routing->channels;
    if (!routing->port_channels)
        return;
    for (uint32_t port = 0; port < topology->ports; port++)
        if (routing->port_channels[port] < found->least_channels)
            found->least_channels = routing->port_channels[port];
}

static void judge(const vef_routing *routing, result *found) {
    const uint32_t least = routing->least_queue_packets;
    const vef_deadlock_request request = {
        .queue_packets = least > QUEUE_PACKETS ? least : QUEUE_PACKETS, .most_bytes = MOST_BYTES};
    vef_deadlock deadlock;
    vef_error error = {0};
    find_channels(routing, found);
    if (vef_deadlock_prove(routing, &request, &deadlock, &error) != VEF_OK) {
        found->outcome = NO_MEMORY;
        snprintf(found->message, sizeof found->message, "%.500s", error.message);
        return;
    }
    found->outcome = JUDGED;
    found->verdict = deadlock.verdict;
    found->bounded = deadlock.bounded;
    found->longest_hops = deadlock.longest_hops;
    found->states = deadlock.states;
    found->dependencies = deadlock.dependencies;
    if (deadlock.verdict != VEF_DEADLOCK_FREE) {
        char text[VEF_DEADLOCK_BYTES];
        vef_deadlock_describe_verdict(routing, &deadlock, text, sizeof text);
        snprintf(found->message, sizeof found->message, "%.500s", text);
    }
    vef_deadlock_release(&deadlock);
}

/* Whether the row, with its default parameters, is for the topology at all. */
static bool is_supported(const vef_routing_algorithm *row, const vef_topology *topology,
                         vef_flow_control flow_control) {
    vef_arena arena = {0};
    void *parameters = vef_arena_alloc(&arena, 1, row->parameter_bytes);
    const bool fits =
        parameters &&
        vef_config_read(NULL, row->name, row->schema, NULL, parameters, &arena, NULL) == VEF_OK &&
        row->supports(topology, flow_control, parameters, NULL) == VEF_OK;
    vef_arena_release(&arena);
    return fits;
}

static vef_code create(const vef_topology *topology, const vef_routing_algorithm *row,
                       vef_flow_control flow_control, vef_routing **routing, vef_error *error) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    char yaml[128];
    snprintf(yaml, sizeof yaml, "{algorithm: %s}", row->name);
    vef_code code = vef_config_parse(yaml, "routing", &arena, &node, error);
    if (code == VEF_OK)
        code = vef_routing_create(node, topology, flow_control, routing, error);
    vef_arena_release(&arena);
    return code;
}

/* Whether a routing uses as many channels as with virtual channels, and no bubbles. */
static bool is_as_other(const vef_routing *routing, const vef_routing_algorithm *row) {
    const vef_topology *topology = routing->topology;
    vef_routing *other = NULL;
    vef_error error = {0};
    if (create(topology, row, VEF_FLOW_VIRTUAL_CHANNELS, &other, &error) != VEF_OK)
        return false;
    bool same = other->algorithm == row && other->channels == routing->channels &&
                !other->port_channels == !routing->port_channels &&
                other->least_queue_packets == 1 && routing->least_queue_packets == 1;
    if (same && routing->port_channels)
        same = memcmp(other->port_channels, routing->port_channels, topology->ports) == 0;
    vef_routing_destroy(other);
    return same;
}

static void try_pair(const vef_topology *topology, const vef_routing_algorithm *row,
                     vef_flow_control flow_control, result *found) {
    if (!is_supported(row, topology, flow_control))
        return;
    vef_routing *routing = NULL;
    vef_error error = {0};
    if (create(topology, row, flow_control, &routing, &error) != VEF_OK) {
        found->outcome = REFUSED;
        snprintf(found->message, sizeof found->message, "%.500s", error.message);
    } else if (routing->algorithm != row)
        found->outcome = OTHER_ROW;
    else if (flow_control == VEF_FLOW_BUBBLE && is_as_other(routing, row))
        found->outcome = AS_OTHER;
    else
        judge(routing, found);
    vef_routing_destroy(routing);
}

static double cpu_s(const struct rusage *usage) {
    return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
           1e-6 * (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec);
}

/* Runs a proof in a process of its own, and waits for it. Returns its CPU time. */
static double run_pair(const vef_topology *topology, const vef_routing_algorithm *row,
                       vef_flow_control flow_control, result *found) {
    int ends[2], status;
    struct rusage usage;
    *found = (result){.outcome = NOT_SUPPORTED};
    if (pipe(ends) != 0)
        stop(strerror(errno));
    const pid_t child = fork();
    if (child < 0)
        stop(strerror(errno));
    if (child == 0) {
        const struct rlimit limit = {LIMIT_S, LIMIT_S};
        setrlimit(RLIMIT_CPU, &limit);
        try_pair(topology, row, flow_control, found);
        _exit(write(ends[1], found, sizeof *found) == (ssize_t)sizeof *found ? 0 : 1);
    }
    close(ends[1]);
    const bool whole = read(ends[0], found, sizeof *found) == (ssize_t)sizeof *found;
    close(ends[0]);
    if (wait4(child, &status, 0, &usage) != child)
        stop(strerror(errno));
    if (!whole) {
        const bool late =
            WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL);
        *found = (result){.outcome = late ? NO_TIME : CRASHED};
    }
    return cpu_s(&usage);
}

/* ---- the page ---- */

static void count(const result *found, totals *all) {
    all->proven += found->outcome == JUDGED && found->verdict == VEF_DEADLOCK_FREE;
    all->failed += (found->outcome == JUDGED && found->verdict != VEF_DEADLOCK_FREE) ||
                   found->outcome == CRASHED;
    all->refused += found->outcome == REFUSED;
    all->over += found->outcome == NO_TIME || found->outcome == NO_MEMORY;
    all->not_supported += found->outcome == NOT_SUPPORTED;
}

static void write_result(FILE *out, const result *found) {
    switch (found->outcome) {
    case JUDGED:
        if (found->verdict == VEF_DEADLOCK_FREE)
            fputs("proven", out);
        else
            fprintf(out, "**not proven**: %s", found->message);
        if (!found->bounded)
            fputs(", paths without a bound", out);
        return;
    case REFUSED:
        fprintf(out, "refused: %s", found->message);
        return;
    case NO_MEMORY:
        fprintf(out, "over %llu GiB", MOST_BYTES >> 30);
        return;
    case NO_TIME:
        fprintf(out, "over %d s", LIMIT_S);
        return;
    case CRASHED:
        fputs("**crashed**", out);
        return;
    case NOT_SUPPORTED:
    case OTHER_ROW:
    case AS_OTHER:
        return;
    }
}

static void write_row(FILE *out, const char *routing, const char *flow_control, const result *found,
                      double seconds) {
    fprintf(out, "| `%s` | %s | ", routing, flow_control);
    const bool judged = found->outcome == JUDGED;
    if (judged && found->least_channels < found->channels)
        fprintf(out, "%u to %u | ", found->least_channels, found->channels);
    else if (judged)
        fprintf(out, "%u | ", found->channels);
    else
        fputs("| ", out);
    write_result(out, found);
    if (judged && found->bounded)
        fprintf(out, " | %u", found->longest_hops);
    else
        fputs(" |", out);
    if (judged)
        fprintf(out, " | %" PRIu64 " | %" PRIu64, found->states, found->dependencies);
    else
        fputs(" | |", out);
    fprintf(out, " | %.2f |\n", seconds);
}

static bool is_listed(const result *found) {
    return found->outcome != NOT_SUPPORTED && found->outcome != OTHER_ROW &&
           found->outcome != AS_OTHER;
}

static void write_network(FILE *out, const vef_topology_family *family, const char *parameters,
                          totals *all) {
    vef_arena arena = {0};
    vef_node *node = NULL;
    vef_topology *topology = NULL;
    vef_error error = {0};
    char yaml[512];
    snprintf(yaml, sizeof yaml, "{family: %s, %s", family->name, parameters + 1);
    if (vef_config_parse(yaml, family->name, &arena, &node, &error) != VEF_OK ||
        vef_topology_create(node, 0, &topology, &error) != VEF_OK)
        stop(error.message);
    all->topologies++;
    fprintf(stderr, "%s: %u routers\n", yaml, topology->routers);
    fprintf(out, "\n`%s`: %u routers\n\n", yaml, topology->routers);
    fputs(
        "| routing | flow control | channels | result | hops | states | escapes | s |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- |\n",
        out);
    for (size_t r = 0; vef_routings[r]; r++) {
        result bubble, virtual_channels;
        const char *name = vef_routings[r]->name;
        const double bubble_s = run_pair(topology, vef_routings[r], VEF_FLOW_BUBBLE, &bubble);
        const double virtual_s =
            run_pair(topology, vef_routings[r], VEF_FLOW_VIRTUAL_CHANNELS, &virtual_channels);
        all->seconds += bubble_s + virtual_s;
        count(&bubble, all);
        count(&virtual_channels, all);
        if (is_listed(&bubble))
            write_row(out, name, "bubble", &bubble, bubble_s);
        if (is_listed(&virtual_channels))
            write_row(out, name, bubble.outcome == AS_OTHER ? "either" : "virtual-channels",
                      &virtual_channels, virtual_s);
    }
    vef_topology_destroy(topology);
    vef_arena_release(&arena);
}

static void write_head(const totals *all) {
    printf(
        "# Every routing on every topology: verified\n\n"
        "After reading this page you know which routings of the table are free of deadlock on "
        "which topologies, and what the proof costs. Repeat\na row with `vef verify` "
        "([verify.md](../verify.md)), or the page (about %.0f minutes of one core):\n\n"
        "    make verification\n    vef verify '{topology: {family: dragonfly, a: 8, h: 4}, "
        "routing: {algorithm: olm}, router: {queue_packets: %d}}'\n\n",
        all->seconds / 60 < 1 ? 1 : all->seconds / 60, QUEUE_PACKETS);
    printf(
        "`make verification` generates this page from the tables: each family at two sizes, its "
        "first sample and a larger network, with each routing\nand flow control that it "
        "supports, at default parameters and queues of %d packets. A proof may take %d s of "
        "CPU time and %llu GiB.\n\n",
        QUEUE_PACKETS, LIMIT_S, MOST_BYTES >> 30);
    printf(
        "| column | content |\n| --- | --- |\n"
        "| flow control | `either`: the routing is the same with both: as many channels, and no "
        "bubbles |\n"
        "| channels | virtual channels per link; a range if links of some classes have fewer "
        "|\n"
        "| result | *proven*: free of deadlock on this network; *refused*: the reason that vef "
        "gives; *over*: the limit of time or memory |\n"
        "| hops | the longest path of any packet |\n"
        "| states | states of packets that the proof visits; symmetric ones once |\n"
        "| escapes | dependencies between queues that may not form a cycle |\n"
        "| s | CPU seconds of the tables of the routing and of the proof |\n\n");
    printf(
        "Of %u networks: %u proofs, %u without one, %u refused, %u over the limits. %u more "
        "combinations are not supported, and not listed.\nAll took %.0f CPU seconds.\n",
        all->topologies, all->proven, all->failed, all->refused, all->over, all->not_supported,
        all->seconds);
}

static bool is_wanted(const vef_topology_family *family, int count_wanted, char **wanted) {
    for (int i = 0; i < count_wanted; i++)
        if (strcmp(wanted[i], family->name) == 0)
            return true;
    return count_wanted == 0;
}

int main(int argc, char **argv) {
    char *body = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&body, &bytes);
    if (!out)
        stop(strerror(errno));
    totals all = {0};
    for (size_t f = 0; vef_topology_families[f]; f++) {
        const vef_topology_family *family = vef_topology_families[f];
        if (!is_wanted(family, argc - 1, argv + 1))
            continue;
        fprintf(out, "\n## %s\n", family->name);
        write_network(out, family, family->samples[0], &all);
        if (family->larger)
            write_network(out, family, family->larger, &all);
    }
    fclose(out);
    write_head(&all);
    fwrite(body, 1, bytes, stdout);
    free(body);
    return ferror(stdout) ? 1 : all.failed > 0;
}
