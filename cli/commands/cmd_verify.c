/* `vef verify`: proves that the routing of a network is free of deadlock, or prints why not. */
#include "cli/command.h"
#include "cli/options.h"
#include "common/memory.h"
#include "common/progress.h"
#include "common/unknown.h"
#include "netmodel/deadlock/deadlock.h"
#include "netmodel/netmodel.h"
#include "netmodel/routing/routing.h"
#include "netmodel/topology/failures/failures.h"
#include "replay/machine.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct choices {
    bool net;
    const vef_report_format *format;
    bool without_bubble;
    uint32_t channels; /* 0: those of the routing */
    vef_texts overrides, merges;
} choices;

static const vef_option options[] = {
    VEF_NET_OPTION(choices, net),
    VEF_SET_OPTION(choices, overrides, "network file (router.queue_packets=1)"),
    VEF_FLAG("without-bubble", choices, without_bubble,
             "Assume that one free place suffices to enter any queue"),
    VEF_OPTION(COUNT, "channels", "N", choices, channels,
               "Assume N queues per link; virtual channel c uses queue c mod N", .minimum = 1,
               .maximum = UINT32_MAX),
    VEF_TEXTS("merge", "CLASS=LIST", choices, merges,
              "Assume that virtual channels of a class of links share queues: local=0,0,1"),
    VEF_PLUGIN_OPTION,
    VEF_LIMIT_OPTION,
    VEF_DOC_OPTIONS(choices, format),
};

static const vef_option_rule rules[] = {
    VEF_EXCLUDES("--channels", "--merge"),
    {0},
};

/* ---- shared queues: --merge ---- */

/* Channels and queues of vef_deadlock_request. */
typedef struct channel_merge {
    uint32_t queues;   /* of a link; 0: one for each channel */
    uint8_t *queue_of; /* owned; NULL: nothing is merged */
} channel_merge;

/* The class of the links at a port, alike at all routers; false: they are of several. */
static bool class_of_port(const vef_topology *topology, uint32_t port, uint32_t *class) {
    *class = UINT32_MAX;
    for (uint32_t router = 0; router < topology->routers; router++) {
        if (topology->neighbour[(size_t)router * topology->ports + port] == VEF_NO_ROUTER)
            continue;
        const uint32_t here = vef_topology_link_class(topology, router, port);
        if (*class != UINT32_MAX && *class != here)
            return false;
        *class = here;
    }
    return true;
}

static vef_code find_class(const vef_topology *topology, const char *option, size_t length,
                           uint32_t *class, vef_error *error) {
    static char names[VEF_MAX_LINK_CLASSES][VEF_CLASS_NAME_BYTES];
    char unknown[2 * VEF_CLASS_NAME_BYTES];
    const char *known[VEF_MAX_LINK_CLASSES];
    for (*class = 0; *class < topology->link_classes; (*class)++) {
        char *name = names[*class];
        vef_topology_link_class_name(topology, *class, name, sizeof names[0]);
        known[*class] = name;
        if (strlen(name) == length && strncmp(name, option, length) == 0)
            return VEF_OK;
    }
    snprintf(unknown, sizeof unknown, "%.*s", (int)length, option);
    vef_fail_unknown(error, "class of links", unknown, known, topology->link_classes);
    return vef_fail_within(error, "--merge %s", option);
}

/* Reads "0,0,1,2", one number for each of `channels`. */
static vef_code read_list(const char *option, const char *text, uint32_t channels, uint8_t *queues,
                          vef_error *error) {
    uint32_t count = 0;
    for (const char *next = text; count < channels; count++) {
        char *end;
        const unsigned long queue = strtoul(next, &end, 10);
        if (end == next || *next == '-' || queue >= channels)
            break;
        queues[count] = (uint8_t)queue;
        if (*end != (count + 1 < channels ? ',' : '\0'))
            break;
        next = end + 1;
    }
    if (count == channels)
        return VEF_OK;
    return vef_fail(error, VEF_INVALID,
                    "--merge %s: expected %" PRIu32 " numbers of queues from 0 to %" PRIu32
                    ", one for each virtual channel",
                    option, channels, channels - 1);
}

static vef_code merge_class(const char *option, const vef_routing *routing, channel_merge *merge,
                            vef_error *error) {
    const vef_topology *topology = routing->topology;
    const char *equals = strchr(option, '=');
    if (!equals)
        return vef_fail(error, VEF_INVALID, "--merge %s: expected CLASS=LIST such as local=0,0,1",
                        option);
    uint32_t wanted;
    vef_code code = find_class(topology, option, (size_t)(equals - option), &wanted, error);
    for (uint32_t port = 0; port < topology->ports && code == VEF_OK; port++) {
        uint32_t class;
        if (!class_of_port(topology, port, &class))
            return vef_fail(error, VEF_UNSUPPORTED,
                            "--merge: port %" PRIu32
                            " has links of several classes: not supported with topology %s",
                            port, topology->family->name);
        if (class == wanted)
            code =
                read_list(option, equals + 1,
                          routing->port_channels ? routing->port_channels[port] : routing->channels,
                          merge->queue_of + (size_t)port * routing->channels, error);
    }
    return code;
}

/* Reads CLASS=LIST ("local=0,0,1,2": channels 0 and 1 of local links share queue 0). Channels of
 * classes that are not named have queues of their own. Refuses unknown classes, lists of another
 * length than the number of channels of the class, and a port whose links are of several classes.
 */
static vef_code read_merges(const vef_texts *given, const vef_routing *routing,
                            channel_merge *merge, vef_error *error) {
    const size_t count = (size_t)routing->topology->ports * routing->channels;
    *merge = (channel_merge){0};
    if (given->count == 0)
        return VEF_OK;
    merge->queues = routing->channels;
    merge->queue_of = vef_malloc(count * sizeof *merge->queue_of);
    for (size_t i = 0; i < count; i++)
        merge->queue_of[i] = (uint8_t)(i % routing->channels);
    vef_code code = VEF_OK;
    for (size_t i = 0; i < given->count && code == VEF_OK; i++)
        code = merge_class(given->text[i], routing, merge, error);
    return code;
}

/* The contents of a report. */
typedef struct proof {
    const vef_routing *routing;
    const vef_net_queues *queues;
    const vef_deadlock *found;
} proof;

/* ---- text ---- */

static void print_dependency(const vef_routing *routing, const vef_dependency *dependency,
                             FILE *out) {
    char text[VEF_DEPENDENCY_BYTES];
    vef_deadlock_describe_dependency(routing, dependency, text, sizeof text);
    fprintf(out, "  %s\n", text);
}

static void print_cycle(const vef_routing *routing, const vef_deadlock *found, FILE *out) {
    for (size_t i = 0; i < found->cycle_length; i++)
        print_dependency(routing, &found->cycle[i], out);
    if (found->uncovered != VEF_UNCOVERED_ENTRY)
        return;
    fprintf(out, "and into it\n");
    print_dependency(routing, &found->entry, out);
}

static void print_sizes(const vef_routing *routing, const vef_deadlock *found, FILE *out) {
    const vef_topology *topology = routing->topology;
    char failures[VEF_FAILURES_TEXT_BYTES];
    fprintf(out, "routers                %" PRIu32 "\n", topology->routers);
    fprintf(out, "endpoints              %" PRIu32 "\n", topology->endpoints);
    if (topology->failures)
        fprintf(out, "down                   %s\n", vef_failures_text(topology, failures));
    fprintf(out, "virtual channels       %" PRIu32 " per link, ", routing->channels);
    if (found->channels < routing->channels)
        fprintf(out, "in %" PRIu32 " queue%s ", found->channels, found->channels == 1 ? "" : "s");
    else
        fprintf(out, "queues ");
    if (found->uncovered == VEF_UNCOVERED_PAUSES)
        fprintf(out, "that pause their senders\n");
    else
        fprintf(out, "of %" PRIu32 " packet%s\n", found->queue_packets,
                found->queue_packets == 1 ? "" : "s");
    fprintf(out, "states of packets      %" PRIu64, found->states);
    if (found->destinations == 1)
        fprintf(out, " to one router (all routers are equivalent)\n");
    else if (found->destinations < topology->routers)
        fprintf(out, " to %" PRIu32 " routers (all others are equivalent to one of them)\n",
                found->destinations);
    else
        fprintf(out, "\n");
}

static void print_free(const vef_routing *routing, const vef_deadlock *found, FILE *out) {
    fprintf(out, "free of deadlock: routing %s on topology %s\n", routing->algorithm->name,
            routing->topology->family->name);
    print_sizes(routing, found, out);
    if (found->bounded)
        fprintf(out, "longest path           %" PRIu32 " hops\n", found->longest_hops);
    else
        fprintf(out,
                "longest path           unbounded: a packet from endpoint %" PRIu32
                " to endpoint %" PRIu32 " may never arrive\n",
                found->unbounded.source, found->unbounded.destination);
    fprintf(out, "queues in use          %" PRIu64 "\n", found->queues);
    fprintf(out, "escapes between them   %" PRIu64 "\n", found->dependencies);
    if (found->uncovered == VEF_UNCOVERED_PAUSES)
        fprintf(out, "buffer dependencies    no cycle\n");
    fprintf(out, "rings kept by bubble   %" PRIu64 "\n", found->rings);
    if (found->broadcast)
        fprintf(out, "packets to all         %s\n",
                found->broadcast_free ? "free of deadlock among the others"
                                      : "not free: their copies close a cycle, or need more places "
                                        "than a queue has");
}

static void write_text(const void *report, FILE *out) {
    const vef_routing *routing = ((const proof *)report)->routing;
    const vef_deadlock *found = ((const proof *)report)->found;
    if (found->verdict == VEF_DEADLOCK_FREE) {
        print_free(routing, found, out);
        return;
    }
    char text[VEF_DEADLOCK_BYTES];
    vef_deadlock_describe_verdict(routing, found, text, sizeof text);
    fprintf(out, "not free of deadlock: routing %s on topology %s\n", routing->algorithm->name,
            routing->topology->family->name);
    print_sizes(routing, found, out);
    fprintf(out, "%s%s\n", text, found->cycle_length > 0 ? ":" : "");
    print_cycle(routing, found, out);
}

/* ---- JSON ---- */

static void write_dependency(vef_result *into, const char *key, const vef_routing *routing,
                             const vef_dependency *dependency, bool with_candidate) {
    const vef_topology *topology = routing->topology;
    const vef_place place = dependency->place;
    char name[VEF_ROUTER_NAME_BYTES];
    vef_topology_router_name(topology, place.router, name, sizeof name);
    vef_result *inner = vef_put_group(into, key);
    VEF_PUT(inner, "router", vef_topology_router_number(topology, place.router));
    VEF_PUT(inner, "router_name", name);
    VEF_PUT(inner, "in_port", VEF_IF(place.in_port != VEF_INJECTED, place.in_port));
    VEF_PUT(inner, "in_channel", VEF_IF(place.in_port != VEF_INJECTED, place.in_channel));
    if (with_candidate) {
        const size_t port = (size_t)place.router * topology->ports + dependency->candidate.port;
        VEF_PUT(inner, "port", dependency->candidate.port);
        VEF_PUT(inner, "channel", dependency->candidate.channel);
        VEF_PUT(inner, "to_router",
                vef_topology_router_number(topology, topology->neighbour[port]));
        VEF_PUT(inner, "places_needed", dependency->candidate.slots_needed);
    }
    VEF_PUT(inner, "source", dependency->source);
    VEF_PUT(inner, "destination", dependency->destination);
    VEF_PUT(inner, "traffic_class", dependency->traffic_class);
}

static void write_failure(vef_result *into, const vef_routing *routing, const vef_deadlock *found) {
    char text[VEF_DEADLOCK_BYTES];
    vef_deadlock_describe_verdict(routing, found, text, sizeof text);
    VEF_PUT(into, "reason", found->verdict == VEF_DEADLOCK_FREE ? NULL : text);
    vef_result *cycle_list = vef_put_list(into, "cycle");
    for (size_t i = 0; i < found->cycle_length; i++)
        write_dependency(cycle_list, NULL, routing, &found->cycle[i], true);
    if (found->verdict == VEF_DEADLOCK_CYCLE && found->uncovered == VEF_UNCOVERED_ENTRY)
        write_dependency(into, "entry", routing, &found->entry, true);
    else
        VEF_PUT(into, "entry", VEF_NO_VALUE);
    if (found->verdict != VEF_DEADLOCK_FREE && found->verdict != VEF_DEADLOCK_CYCLE)
        write_dependency(into, "state", routing, &found->fault, false);
    else
        VEF_PUT(into, "state", VEF_NO_VALUE);
}

static void build(const void *report, vef_result *root) {
    const vef_routing *routing = ((const proof *)report)->routing;
    const vef_deadlock *found = ((const proof *)report)->found;
    const vef_topology *topology = routing->topology;
    const char *warning = ((const proof *)report)->queues->warning;
    vef_say_by(root, write_text, report);
    VEF_PUT(root, "free_of_deadlock", vef_value_bool(found->verdict == VEF_DEADLOCK_FREE));
    VEF_PUT(root, "routing", routing->algorithm->name);
    VEF_PUT(root, "family", topology->family->name);
    VEF_PUT(root, "routers", topology->routers);
    VEF_PUT(root, "endpoints", topology->endpoints);
    vef_failures_put_result(topology, false, root);
    VEF_PUT(root, "channels", routing->channels);
    VEF_PUT(root, "queues_per_link", found->channels);
    VEF_PUT(root, "queue_packets", found->queue_packets);
    VEF_PUT(root, "backpressure", found->uncovered == VEF_UNCOVERED_PAUSES ? "pause" : "credits");
    VEF_PUT(root, "destinations", found->destinations);
    VEF_PUT(root, "states", found->states);
    if (found->verdict == VEF_DEADLOCK_FREE || found->verdict == VEF_DEADLOCK_CYCLE) {
        VEF_PUT(root, "bounded", found->bounded);
        VEF_PUT(root, "longest_path_hops", VEF_IF(found->bounded, found->longest_hops));
        VEF_PUT(root, "queues", found->queues);
        VEF_PUT(root, "dependencies", found->dependencies);
        VEF_PUT(root, "bubble_rings", found->rings);
    }
    if (found->verdict == VEF_DEADLOCK_FREE && found->broadcast)
        VEF_PUT(root, "broadcast_free_of_deadlock", found->broadcast_free);
    else
        VEF_PUT(root, "broadcast_free_of_deadlock", VEF_NO_VALUE);
    write_failure(root, routing, found);
    vef_put_texts(root, "warnings", &warning, *warning != '\0');
}

/* ---- the command ---- */

static void show_progress(void *context, uint64_t done, uint64_t total) {
    vef_progress_update(context, done, total);
}

static vef_code verify(const choices *chosen, const vef_routing *routing,
                       const vef_net_queues *queues, int *status, vef_error *error) {
    vef_progress progress;
    vef_deadlock found;
    channel_merge merge;
    vef_code code = read_merges(&chosen->merges, routing, &merge, error);
    if (code != VEF_OK) {
        free(merge.queue_of);
        return code;
    }
    const vef_deadlock_request request = {.queue_packets = queues->shortest_packets,
                                          .pauses = queues->pauses,
                                          .channels =
                                              merge.queue_of ? merge.queues : chosen->channels,
                                          .queue_of = merge.queue_of,
                                          .without_bubble = chosen->without_bubble,
                                          .watch = show_progress,
                                          .context = &progress};
    vef_progress_begin(&progress, "verifying");
    code = vef_deadlock_prove(routing, &request, &found, error);
    vef_progress_end(&progress);
    free(merge.queue_of);
    if (code != VEF_OK)
        return code;
    code =
        vef_report_write(chosen->format, build, &(proof){routing, queues, &found}, stdout, error);
    const bool with_broadcast = !found.broadcast || found.broadcast_free;
    *status = found.verdict == VEF_DEADLOCK_FREE && with_broadcast ? VEF_EXIT_OK : VEF_EXIT_FAILURE;
    vef_deadlock_release(&found);
    return code;
}

static int run(int argc, char **argv) {
    choices chosen = {0};
    vef_error error = {0};
    int operand = vef_command_read(&vef_command_verify, argc, argv, &chosen, 1, 1);
    if (operand < 0)
        return VEF_EXIT_USAGE;
    vef_topology *topology = NULL;
    vef_routing *routing = NULL;
    vef_net_queues queues = {0};
    int status = VEF_EXIT_USAGE;
    vef_arena arena = {0};
    vef_node *root = NULL;
    vef_code code = vef_machine_open(argv[operand], chosen.overrides.text, chosen.overrides.count,
                                     &arena, &root, NULL, &error);
    if (code == VEF_OK)
        code = vef_netmodel_create_routing(root, &topology, &routing, &queues, &error);
    if (code == VEF_OK)
        vef_command_warn_ignored("verify", root);
    vef_arena_release(&arena);
    if (code == VEF_OK)
        code = verify(&chosen, routing, &queues, &status, &error);
    if (code == VEF_OK && queues.warning[0])
        vef_command_warn("verify", queues.warning);
    if (code != VEF_OK)
        status = vef_command_error("verify", &error);
    vef_routing_destroy(routing);
    vef_topology_destroy(topology);
    return status;
}

const vef_command vef_command_verify = {
    .name = "verify",
    .summary = "Prove that a routing is free of deadlock, or print a cycle",
    .usage = "NET.yaml|'{topology: …, routing: …}' [--set KEY=VALUE]... [OPTIONS]",
    .operands = "NET.yaml",
    .options = options,
    .rules = rules,
    .notes =
        "NET.yaml is a network file, or the network itself: '{topology: {family: rtt, a: 16}, "
        "routing: {algorithm: dor}}'. The proof covers every state that a packet can reach on "
        "every route. docs/verify.md explains the proof and its assumptions.\n\n"
        "Exit status: 0: free of deadlock; 1: not proved, with a cycle or the missing escape; 2 "
        "for usage and input errors.\n",
    .run = run,
};
