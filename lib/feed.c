/* vef/replay.h: a replay on a network that the caller simulates. */
#include "common/memory.h"
#include "common/plugin/library.h"
#include "lib/failure.h"
#include "lib/feed_network.h"
#include "mappings/mapping.h"
#include "netmodel/clock.h"
#include "netmodel/kinds.h"
#include "replay/machine.h"
#include "replay/program.h"
#include "replay/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct vef_feed {
    vef_arena arena; /* the tree of the machine file */
    const vef_node *plugins;
    vef_replay_options options;
    vef_trace *trace;
    const char *missing; /* of the trace; NULL: it is whole */
    vef_source *source;
    vef_topology *topology; /* of the machine file, or NULL */
    vef_netmodel *network;
    vef_mapping *mapping;
    uint32_t *given; /* endpoints that the caller chose, or NULL */
    vef_stepped *stepped;
    const vef_replay_result *result; /* when it is finished */
    vef_net_clock clock;             /* of the network: the caller's cycles */
    uint64_t now_cycles;             /* of the last vef_feed_run */
    uint32_t tasks;
    bool ended;
    bool broken; /* a call was left in the middle, without memory */
};

/* ---- opening ---- */

/* A machine without a network. */
static const vef_param only_machine[] = {VEF_OTHER_SECTIONS, {.key = NULL}};

static vef_code read_machine(const vef_feed_options *options, vef_feed *feed, vef_error *error) {
    vef_node *root = NULL;
    vef_code code =
        vef_machine_open(options->machine ? options->machine : "{mpi: {}}", options->overrides,
                         options->override_count, &feed->arena, &root, &feed->options, error);
    if (code != VEF_OK)
        return code;
    feed->plugins = vef_library_list(root);
    uint64_t bandwidth;
    if (vef_node_get(root, "topology") || vef_node_get(root, "model")) {
        code = vef_netmodel_create_topology(root, &feed->topology, &bandwidth, error);
        return code == VEF_UNSUPPORTED ? VEF_OK : code; /* a model without */
    }
    char unused;
    return vef_config_read(root, "machine", only_machine, NULL, &unused, &feed->arena, error);
}

static vef_code check_topology(const vef_feed_options *options, const vef_feed *feed,
                               vef_error *error) {
    if (feed->topology && feed->topology->endpoints != options->endpoints)
        return vef_fail(error, VEF_INVALID,
                        "%u endpoints: the topology of the machine has %u: expected as many",
                        options->endpoints, feed->topology->endpoints);
    return VEF_OK;
}

static vef_code place_tasks(const vef_feed_options *options, vef_feed *feed, vef_error *error) {
    if (options->endpoint) {
        feed->given = vef_malloc(feed->tasks * sizeof *feed->given);
        for (uint32_t task = 0; task < feed->tasks; task++)
            feed->given[task] = options->endpoint[task];
        return VEF_OK;
    }
    vef_traced_program program = {feed->trace, &feed->options};
    vef_mapping_request request = vef_program_request(&program, feed->topology);
    request.text = options->mapping;
    request.plugins = feed->plugins;
    return vef_mapping_create(&request, feed->topology, &feed->mapping, error);
}

static vef_code open_feed(const vef_feed_options *options, vef_feed *feed, vef_error *error) {
    vef_code code = read_machine(options, feed, error);
    if (code == VEF_OK)
        code = check_topology(options, feed, error);
    if (code == VEF_OK)
        code = vef_trace_open(options->trace, &feed->trace, &feed->missing, error);
    if (code != VEF_OK)
        return code;
    feed->source = vef_source_open_trace(feed->trace);
    feed->tasks = feed->source->tasks;
    code = place_tasks(options, feed, error);
    if (code != VEF_OK)
        return code;
    feed->network = vef_feed_network_create(
        (uint32_t)options->cycle_ps, options->cycle_parts ? (uint32_t)options->cycle_parts : 1,
        options->endpoints, feed->topology);
    feed->clock = vef_net_clock_of(feed->network);
    return vef_stepped_begin(feed->source, feed->network,
                             feed->given ? feed->given : feed->mapping->endpoint, &feed->options,
                             &feed->stepped, error);
}

typedef struct opening {
    vef_entry call;
    const vef_feed_options *options;
    vef_feed *feed;
} opening;

static void open_landed(void *call) {
    opening *request = call;
    request->call.code = open_feed(request->options, request->feed, &request->call.error);
}

int vef_feed_open(const vef_feed_options *options, vef_feed **feed, vef_failure *failure) {
    if (options->size != sizeof *options || !options->trace || options->endpoints == 0 ||
        options->cycle_ps == 0 || options->cycle_ps > VEF_FEED_MOST_PS ||
        options->cycle_parts > VEF_FEED_MOST_PARTS)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "vef_feed_options: expected a size of %zu, a trace, at least one "
                               "endpoint, and a cycle_ps of 1 to %u in at most %u parts",
                               sizeof *options, VEF_FEED_MOST_PS, VEF_FEED_MOST_PARTS);
    vef_feed *made = vef_calloc(1, sizeof *made);
    if (!made)
        return vef_failure_set(failure, VEF_FAILURE_MEMORY, "out of memory");
    made->options = vef_replay_defaults();
    opening call = {.call = {.work = open_landed}, .options = options, .feed = made};
    const int failed = vef_entry_do(&call.call, &made->broken, failure);
    if (failed)
        vef_feed_close(made);
    else
        *feed = made;
    return failed;
}

void vef_feed_close(vef_feed *feed) {
    if (!feed)
        return;
    if (!feed->broken) { /* else its parts may be half made */
        vef_stepped_destroy(feed->stepped);
        if (feed->network)
            vef_netmodel_destroy(feed->network);
        vef_mapping_destroy(feed->mapping);
        vef_source_close_trace(feed->source);
        vef_trace_close(feed->trace);
        vef_topology_destroy(feed->topology);
        vef_arena_release(&feed->arena);
        free(feed->given);
    }
    free(feed);
}

const char *vef_feed_warnings(const vef_feed *feed) {
    return feed->missing ? feed->missing : "";
}

uint32_t vef_feed_tasks(const vef_feed *feed) {
    return feed->tasks;
}

uint32_t vef_feed_endpoint(const vef_feed *feed, uint32_t task) {
    if (task >= feed->tasks)
        return UINT32_MAX;
    return feed->given ? feed->given[task] : feed->mapping->endpoint[task];
}

/* ---- running ---- */

/* When the replay goes on by itself, or by an arrival. */
static uint64_t next_step_ps(const vef_feed *feed) {
    const uint64_t task_ps = vef_stepped_next(feed->stepped);
    const uint64_t arrival_ps =
        vef_net_clock_ps(&feed->clock, vef_feed_network_arrives(feed->network));
    return task_ps < arrival_ps ? task_ps : arrival_ps;
}

typedef struct running {
    vef_entry call;
    vef_feed *feed;
    uint64_t until_cycles;
} running;

static void run(void *call) {
    running *request = call;
    vef_feed *feed = request->feed;
    vef_error *error = &request->call.error;
    vef_code code = VEF_OK;
    feed->now_cycles = request->until_cycles;
    const uint64_t until_ps = vef_net_clock_ps(&feed->clock, request->until_cycles);
    uint64_t next_ps = next_step_ps(feed);
    while (code == VEF_OK && !feed->ended && next_ps <= until_ps) {
        code = vef_stepped_run(feed->stepped, next_ps, &feed->ended, error);
        next_ps = next_step_ps(feed);
    }
    /* Without messages nothing will happen any more: a stall, which is named now. */
    if (code == VEF_OK && !feed->ended && next_ps == VEF_NEVER && !vef_stepped_waits(feed->stepped))
        code = vef_stepped_run(feed->stepped, VEF_FOREVER, &feed->ended, error);
    request->call.code = code;
}

int vef_feed_run(vef_feed *feed, uint64_t until_cycles, int *ended, vef_failure *failure) {
    *ended = feed->ended;
    if (feed->result)
        return vef_failure_set(failure, VEF_FAILURE_INVALID, "the replay is finished");
    if (until_cycles < feed->now_cycles || until_cycles == VEF_NEVER)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "cycle %" PRIu64 ": out of range: the replay has reached %" PRIu64,
                               until_cycles, feed->now_cycles);
    running call;
    call.call.work = run; /* not all of it: the text of an error is long */
    call.feed = feed;
    call.until_cycles = until_cycles;
    const int failed = vef_entry_do(&call.call, &feed->broken, failure);
    *ended = !feed->broken && feed->ended && vef_feed_network_leaves(feed->network) == VEF_NEVER;
    return failed;
}

int vef_feed_take(vef_feed *feed, vef_feed_message *message) {
    return vef_feed_network_take(feed->network, feed->now_cycles, message);
}

uint64_t vef_feed_next(const vef_feed *feed) {
    const uint64_t step_cycles =
        feed->ended ? VEF_NEVER : vef_net_clock_from(&feed->clock, next_step_ps(feed));
    const uint64_t leave_cycles = vef_feed_network_leaves(feed->network);
    return step_cycles < leave_cycles ? step_cycles : leave_cycles;
}

typedef struct arrival {
    vef_entry call;
    vef_feed *feed;
    uint64_t id, time_cycles;
} arrival;

static void arrive(void *call) {
    arrival *request = call;
    request->call.code = vef_feed_network_arrive(request->feed->network, request->id,
                                                 request->time_cycles, &request->call.error);
}

int vef_feed_deliver(vef_feed *feed, uint64_t id, uint64_t time_cycles, vef_failure *failure) {
    if (time_cycles < feed->now_cycles || time_cycles == VEF_NEVER)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "message %#" PRIx64 " arrives at cycle %" PRIu64
                               ": out of range: the replay has reached %" PRIu64,
                               id, time_cycles, feed->now_cycles);
    arrival call;
    call.call.work = arrive;
    call.feed = feed;
    call.id = id;
    call.time_cycles = time_cycles;
    return vef_entry_do(&call.call, &feed->broken, failure);
}

uint64_t vef_feed_under_way(const vef_feed *feed) {
    return vef_feed_network_under_way(feed->network);
}

int vef_feed_task_ended(const vef_feed *feed, uint32_t task, uint64_t *end_ps) {
    return task < feed->tasks && vef_stepped_task_ended(feed->stepped, task, end_ps);
}

/* ---- the end ---- */

/* Why a replay that was neither at its end nor stalled did not go on. */
static void name_reason(const vef_feed *feed, char *text, size_t text_bytes) {
    const uint64_t missing = vef_feed_network_under_way(feed->network);
    if (missing == 0 || vef_feed_next(feed) != VEF_NEVER) {
        snprintf(text, text_bytes, "the caller stopped at cycle %" PRIu64, feed->now_cycles);
        return;
    }
    vef_feed_message first = {0};
    vef_feed_network_first_missing(feed->network, &first);
    snprintf(text, text_bytes,
             "%" PRIu64 " messages have not arrived; the first, %#" PRIx64 ", of %" PRIu64
             " bytes from endpoint %u to %u, left at cycle %" PRIu64,
             missing, first.id, first.bytes, first.source, first.destination, first.time_cycles);
}

static void finish(void *call) {
    running *request = call;
    vef_feed *feed = request->feed;
    char reason[sizeof((vef_feed_result *)NULL)->stall];
    name_reason(feed, reason, sizeof reason);
    request->call.code = vef_stepped_finish(feed->stepped, VEF_STALL_NETWORK_DEADLOCK, reason,
                                            &feed->result, &request->call.error);
}

int vef_feed_finish(vef_feed *feed, vef_feed_result *result, vef_failure *failure) {
    if (result->size != sizeof *result || feed->result)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "vef_feed_finish: expected a result of size %zu, and only once",
                               sizeof *result);
    running call = {.call = {.work = finish}, .feed = feed};
    const int failed = vef_entry_do(&call.call, &feed->broken, failure);
    if (failed)
        return failed;
    *result = (vef_feed_result){.size = sizeof *result,
                                .complete = feed->result->stall == VEF_STALL_NONE,
                                .time_ps = feed->result->time_ps,
                                .messages = feed->result->messages,
                                .bytes = feed->result->message_bytes,
                                .local_messages = feed->result->local_messages};
    snprintf(result->stall, sizeof result->stall, "%s", feed->result->stall_text);
    return vef_failure_from(VEF_OK, NULL, failure);
}

int vef_feed_task_times(const vef_feed *feed, uint32_t task, vef_feed_task *times,
                        vef_failure *failure) {
    if (!feed->result || task >= feed->tasks)
        return vef_failure_set(failure, VEF_FAILURE_INVALID,
                               "task %u: expected one below %u, after vef_feed_finish", task,
                               feed->tasks);
    const vef_task_result *result = &feed->result->task[task];
    *times = (vef_feed_task){.end_ps = result->end_ps,
                             .computing_ps = result->computing_ps,
                             .outside_ps = result->outside_ps,
                             .communicating_ps = result->communicating_ps,
                             .waiting_ps = result->waiting_ps,
                             .overhead_ps = result->overhead_ps,
                             .messages_sent = result->messages_sent,
                             .bytes_sent = result->bytes_sent};
    return vef_failure_from(VEF_OK, NULL, failure);
}
