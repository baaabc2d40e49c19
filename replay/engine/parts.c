/* A replay that threads divide: the tasks belong to the parts of the network in which their
 * endpoints are, and each part runs them, with a loop of its own, on the thread that steps its
 * routers (vef_net_agent). Parts share the lists of tasks and strands, of which each changes its
 * own, and have their own wake-ups, records of messages, plans beside tasks and communicators.
 *
 * Tasks of different parts affect each other by messages alone (letters.c), with one exception: the
 * sender of a rendezvous continues when the data are delivered, which the network confirms at that
 * time. So the result is that of a replay that is not divided, whatever the parts.
 *
 * What needs the order of all (divides below) is not divided; and where a part finds what only that
 * order can tell, the replay is repeated, not divided, with a new network: why it stalls or fails;
 * members that enter different collectives; persistent collectives, which are numbered in order of
 * their starts; and messages under way when the last task ends, whose way to there counts. */
#include "common/memory.h"
#include "replay/engine/hosts.h"
#include "replay/engine/letters.h"
#include "replay/engine/loop.h"

#include <stdlib.h>

/* A part with what threads write, on cache lines of its own. */
typedef struct part {
    alignas(VEF_CACHE_LINE_BYTES) vef_engine engine;
    vef_replay_result result;
    vef_error error;
    uint64_t delivered_ps; /* the time of the last delivery */
    bool failed;           /* or stalled: it does nothing any more */
} part;

typedef struct division {
    part *parts;
    vef_letters *letters;
    uint32_t *part_of;       /* [task] */
    const uint64_t **events; /* [part]: of its result */
    uint32_t count;
    const vef_net_ranks *ranks; /* each runs the part of its number; NULL: this process runs all */
} division;

/* The parts that this process runs: from `first_part` to before `end_part`. */
static uint32_t first_part(const division *parts) {
    return parts->ranks ? parts->ranks->rank : 0;
}
static uint32_t end_part(const division *parts) {
    return parts->ranks ? parts->ranks->rank + 1 : parts->count;
}

const char *vef_parts_exclude(const vef_engine *engine) {
    const vef_netmodel_kind *kind = engine->network->kind;
    const vef_replay_options *options = engine->options;
    const vef_host *host = &options->host;
    if (!kind->dismiss || kind->parts(engine->network, NULL) == 1)
        return "a network of one part";
    const struct {
        bool given;
        const char *name;
    } excluded[] = {
        {!engine->source->divisible, "events that are not of a trace"},
        {engine->listeners || engine->gate, "listeners to a replay"},
        {engine->policy.run || engine->policy.ahead, "processors of hosts"},
        {options->limit_ps != VEF_FOREVER, "a time limit"},
        {options->eager_buffer_bytes > 0, "mpi.eager_buffer"},
        {host->shared_cores > 0, "host.shared_cores"},
        {host->nics != 1, "host.nics"},
        {engine->hosts.gap_ps > 0, "host.gap"},
        {engine->hardware_broadcast, "the collective algorithms `hardware`"},
        {vef_source_window(engine->source) != VEF_NO_COMM, "one-sided communication"},
        {engine->clock.parts > engine->clock.ps, "cycles of less than 1 ps"}, /* of one time */
    };
    for (size_t i = 0; i < sizeof excluded / sizeof *excluded; i++)
        if (excluded[i].given)
            return excluded[i].name;
    return NULL;
}

/* ---- a part at work ---- */

/* The cycle in which the part wants to act next. */
static uint64_t next_cycles(const part *own) {
    const vef_engine *engine = &own->engine;
    return own->failed || vef_engine_ended(engine)
               ? VEF_FOREVER
               : vef_net_clock_from(&engine->clock, vef_engine_next(engine));
}

static void note(part *own, vef_code code) {
    own->failed |= code != VEF_OK || own->result.stall != VEF_STALL_NONE;
}

static uint64_t act(void *context, vef_netmodel *model, uint32_t number, uint64_t now_cycles) {
    part *own = &((division *)context)->parts[number];
    (void)model;
    if (!own->failed)
        note(own, vef_engine_run(&own->engine, vef_net_clock_ps(&own->engine.clock, now_cycles)));
    return next_cycles(own);
}

/* What continues before the deliveries has its turn before them, as in the order of all. */
static uint64_t receive(void *context, uint32_t number, const vef_net_delivery *deliveries,
                        size_t count) {
    part *own = &((division *)context)->parts[number];
    vef_engine *engine = &own->engine;
    const uint64_t now_ps = vef_net_clock_ps(&engine->clock, deliveries[0].time_cycles);
    if (!own->failed && vef_engine_next(engine) < now_ps)
        note(own, vef_engine_run(engine, now_ps - 1));
    if (!own->failed)
        note(own, vef_engine_deliver(engine, deliveries, count));
    own->delivered_ps = now_ps;
    return next_cycles(own);
}

/* The letters for a part in another process, and those that it has posted for this one. */
static void put_letters(void *context, vef_net_peer *peer) {
    vef_letters *letters = &((division *)context)->letters[peer->rank];
    vef_net_put(peer, letters->posted, letters->posted_count * sizeof *letters->posted);
    letters->posted_count = 0;
}

static void take_letters(void *context, uint32_t rank, const unsigned char *from, size_t bytes) {
    vef_posted_letter posted;
    for (const unsigned char *end = from + bytes; from < end;) {
        from = vef_net_get(from, &posted, sizeof posted);
        vef_letter_keep(&((division *)context)->letters[rank], &posted);
    }
}

/* ---- all parts ---- */

static void begin_part(division *parts, const vef_engine *whole, uint32_t number) {
    part *own = &parts->parts[number];
    vef_engine *engine = &own->engine;
    *engine = *whole;
    engine->result = &own->result;
    engine->error = &own->error;
    engine->progress = NULL;
    engine->part = number;
    engine->part_of = parts->part_of;
    engine->letters = parts->letters;
    own->result.task = whole->result->task;
    parts->events[number] = &own->result.events;
    own->result.collectives =
        vef_store_take(engine->store, vef_algorithm_count, sizeof *own->result.collectives);
    vef_engine_prepare_part(engine);
}

static void divide(division *parts, vef_engine *whole) {
    const vef_netmodel *network = whole->network;
    const uint32_t tasks = whole->source->tasks;
    *parts = (division){.count = network->kind->parts(network, NULL), .ranks = network->ranks};
    uint32_t *part_of = vef_calloc(network->endpoints, sizeof *part_of);
    network->kind->parts(network, part_of);
    parts->part_of = vef_store_take(whole->store, tasks, sizeof *parts->part_of);
    for (uint32_t task = 0; task < tasks; task++)
        parts->part_of[task] = part_of[whole->mapping[task]];
    free(part_of);
    parts->parts = vef_store_take(whole->store, parts->count, sizeof *parts->parts);
    parts->letters = vef_store_take(whole->store, parts->count, sizeof *parts->letters);
    parts->events = vef_store_take(whole->store, parts->count, sizeof *parts->events);
    for (uint32_t i = 0; i < parts->count; i++)
        vef_letters_begin(&parts->letters[i], parts->ranks != NULL);
    for (uint32_t i = first_part(parts); i < end_part(parts); i++)
        begin_part(parts, whole, i);
    for (uint32_t strand = 0; strand < whole->strand_count; strand++) {
        const uint32_t number = parts->part_of[whole->strands[strand].task];
        if (number >= first_part(parts) && number < end_part(parts))
            vef_strand_wake(&parts->parts[number].engine, strand);
    }
}

static void release(division *parts) {
    for (uint32_t i = first_part(parts); i < end_part(parts); i++)
        vef_engine_release_part(&parts->parts[i].engine);
    for (uint32_t i = 0; i < parts->count; i++)
        vef_letters_release(&parts->letters[i]);
}

static void add_approximations(vef_approximations *sum, const vef_approximations *more) {
    uint64_t *to = (uint64_t *)(void *)sum;
    const uint64_t *from = (const uint64_t *)(const void *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static void gather(vef_engine *whole, const division *parts) {
    vef_replay_result *sum = whole->result;
    for (uint32_t i = first_part(parts); i < end_part(parts); i++) {
        const part *own = &parts->parts[i];
        sum->events += own->result.events;
        sum->messages += own->result.messages;
        sum->message_bytes += own->result.message_bytes;
        sum->local_messages += own->result.local_messages;
        sum->noise_ps += own->result.noise_ps;
        for (size_t k = 0; k < vef_algorithm_count; k++)
            sum->collectives[k] += own->result.collectives[k];
        add_approximations(&whole->approximations, &own->engine.approximations);
    }
    uint64_t *const counts[] = {&sum->events, &sum->messages, &sum->message_bytes,
                                &sum->local_messages, &sum->noise_ps};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        vef_net_sum(parts->ranks, counts[i], sizeof *counts[i]);
    vef_net_sum(parts->ranks, sum->collectives, vef_algorithm_count * sizeof *sum->collectives);
    vef_net_sum(parts->ranks, &whole->approximations, sizeof whole->approximations);
}

/* When the last thread of a task ends; all have. */
static uint64_t end_of(const vef_engine *whole) {
    uint64_t end_ps = 0;
    for (uint32_t strand = 0; strand < whole->strand_count; strand++)
        if (whole->strands[strand].cpu_ps > end_ps)
            end_ps = whole->strands[strand].cpu_ps;
    return vef_net_most(whole->network->ranks, end_ps);
}

static bool comms_agree(const division *parts) {
    const uint32_t count = parts->parts[first_part(parts)].engine.comms.count;
    const size_t bounds_count = (size_t)count * VEF_COMM_BOUNDS;
    uint64_t *bounds = vef_malloc((bounds_count + 1) * sizeof *bounds);
    memset(bounds, 0xff, (bounds_count + 1) * sizeof *bounds);
    for (uint32_t i = first_part(parts); i < end_part(parts); i++)
        vef_comms_bound(&parts->parts[i].engine.comms, bounds);
    if (parts->ranks)
        parts->ranks->least(parts->ranks->context, bounds, bounds_count);
    const bool agree = vef_comms_agree(bounds, count);
    free(bounds);
    return agree;
}

/* Whether the result is that of a replay that is not divided: the last task ended after everything
 * else, and all members entered the same collectives. */
static bool is_whole(const vef_engine *whole, const division *parts, uint64_t end_ps) {
    uint64_t counts[3] = {0}; /* parts that did more; messages under way; threads that ended */
    for (uint32_t i = first_part(parts); i < end_part(parts); i++) {
        const part *own = &parts->parts[i];
        counts[0] += own->failed || own->delivered_ps > end_ps || own->engine.wakeups.now > end_ps;
        counts[1] += own->engine.in_flight;
        counts[2] += own->engine.ended;
    }
    vef_net_sum(parts->ranks, counts, sizeof counts);
    const bool agree = comms_agree(parts);
    return agree && counts[0] == 0 && counts[1] == 0 && counts[2] == whole->strand_count;
}

vef_code vef_parts_run(vef_engine *whole, bool *repeat) {
    vef_netmodel *network = whole->network;
    division parts;
    divide(&parts, whole);
    const vef_net_agent agent = {.context = &parts,
                                 .act = act,
                                 .receive = receive,
                                 .confirms = true,
                                 .put = put_letters,
                                 .take = take_letters};
    network->kind->attend(network, &agent);
    if (network->ranks)
        whole->progress = NULL; /* its steps follow the clock of a process, and all must be equal */
    whole->part_events = parts.events;
    whole->part_count = parts.count;
    const vef_net_delivery *deliveries;
    size_t count;
    vef_code code = vef_engine_advance(whole, VEF_FOREVER, &deliveries, &count);
    whole->part_count = 0;
    gather(whole, &parts);
    const uint64_t end_ps = end_of(whole);
    *repeat = code == VEF_OK && !is_whole(whole, &parts, end_ps);
    network->kind->dismiss(network, vef_net_clock_until(&whole->clock, end_ps));
    release(&parts);
    return code;
}
