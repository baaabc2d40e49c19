/* The stream of messages. See traffic.h.
 *
 * For each message its source draws, in this order: the destination, the length (if there are
 * several) and the time until its next message. */
#include "netmodel/traffic/traffic.h"

#include "common/containers/wakeups.h"
#include "common/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

typedef struct sender {
    vef_rng rng;
    vef_process_memory memory;
    uint64_t made_cycles; /* of its next message; its time in the schedule is this or later */
} sender;

enum {
    MOST_CLASSES = 256,
    AHEAD = 8, /* senders whose state is prefetched together */
};

/* A length and the probability of it or one before it, for the inversion of a uniform draw. */
typedef struct length_step {
    double up_to;
    uint64_t bytes;
} length_step;

struct vef_traffic {
    const vef_pattern *pattern;
    const uint32_t *places;
    const uint32_t *members; /* by number in what follows; NULL: all endpoints, by theirs */
    uint32_t member_count;
    vef_process process;
    uint32_t senders, traffic_classes;
    uint64_t taken; /* messages */
    length_step *lengths;
    size_t length_count;
    sender *sender;         /* [member] */
    uint8_t *traffic_class; /* [member]: of the next message; NULL: there is one class */
    vef_wakeups later;      /* senders, by the time of their next message */
    uint64_t time;          /* of the next message; VEF_FOREVER: none */
    uint32_t next[AHEAD];   /* the first senders of that time, taken from `later`; */
    uint32_t first, beyond; /* these of them are left */
    vef_arena arena;
};

static vef_code fail_length(const vef_packets *packets, uint64_t phits, vef_error *error) {
    const uint64_t most = UINT64_MAX / packets->phit_bytes;
    if (phits == 0 || phits > most)
        return vef_fail(error, VEF_INVALID,
                        "synthetic traffic: messages of %" PRIu64 " phits of %" PRIu64
                        " bytes: out of range: expected 1 to %" PRIu64 " phits",
                        phits, packets->phit_bytes, most);
    /* There are packets of the largest size, since the rest fills no packet of any size. */
    const uint64_t largest = packets->payload_bytes < UINT64_MAX
                                 ? vef_packets_phits_with(packets, packets->payload_bytes)
                                 : phits + 1;
    const uint64_t below = phits / largest * largest;
    const uint64_t above = below + vef_packets_phits_with(packets, 1);
    char lower[32] = "";
    if (below > 0)
        snprintf(lower, sizeof lower, "%" PRIu64 " or ", below);
    return vef_fail(error, VEF_INVALID,
                    "synthetic traffic: messages of %" PRIu64 " phits of %" PRIu64
                    " bytes: their last packet has no room for more than its header of %" PRIu64
                    " bytes: expected %s%" PRIu64 " phits",
                    phits, packets->phit_bytes, packets->header_bytes, lower, above);
}

/* The size of messages of a length; and their phits, headers included. */
static vef_code size_of(const vef_packets *packets, const vef_length_share *given, uint64_t *bytes,
                        uint64_t *phits, vef_error *error) {
    *bytes = given->bytes;
    *phits = given->phits;
    if (given->bytes > 0)
        *phits = vef_packets_phits(packets, given->bytes);
    else if (given->phits == 0 || given->phits > UINT64_MAX / packets->phit_bytes ||
             !vef_packets_bytes(packets, given->phits, bytes))
        return fail_length(packets, given->phits, error);
    return VEF_OK;
}

/* Sets the table of lengths and the mean of a message's length in phits. */
static vef_code take_lengths(vef_traffic *traffic, const vef_traffic_settings *settings,
                             double *mean_phits, vef_error *error) {
    const size_t count = settings->length_count;
    if (count == 0)
        return vef_fail(error, VEF_INVALID,
                        "synthetic traffic: missing length of messages, such as 16 phits");
    traffic->lengths = vef_arena_alloc(&traffic->arena, count, sizeof *traffic->lengths);
    traffic->length_count = count;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        const vef_length_share *given = &settings->lengths[i];
        uint64_t bytes, phits;
        const vef_code code = size_of(&settings->packets, given, &bytes, &phits, error);
        if (code != VEF_OK)
            return code;
        sum += given->share;
        *mean_phits += given->share * (double)phits;
        traffic->lengths[i] = (length_step){sum, bytes};
    }
    traffic->lengths[count - 1].up_to = 1; /* whatever the rounding */
    return VEF_OK;
}

/* Takes the first senders. */
static void take_first(vef_traffic *traffic) {
    traffic->first = traffic->beyond = 0;
    traffic->time = vef_wakeups_first(&traffic->later);
    if (traffic->time == VEF_FOREVER)
        return;
    traffic->beyond = vef_wakeups_take(&traffic->later, traffic->next, AHEAD);
    for (uint32_t i = 0; i < traffic->beyond; i++)
        __builtin_prefetch(&traffic->sender[traffic->next[i]], 1);
}

/* A member's number in the pattern. */
static uint32_t endpoint_of(const vef_traffic *traffic, uint32_t member) {
    return traffic->members ? traffic->members[member] : member;
}

/* Finds the silent endpoints, and schedules the first message of each other one. */
static void begin(vef_traffic *traffic, uint64_t seed) {
    const vef_pattern *pattern = traffic->pattern;
    for (uint32_t m = 0; m < traffic->member_count; m++) {
        const uint32_t e = endpoint_of(traffic, m);
        sender *generator = &traffic->sender[m];
        generator->rng = vef_rng_make(seed, VEF_RNG_TRAFFIC, e);
        if (!vef_pattern_sends(pattern, e))
            continue;
        traffic->senders++;
        if (traffic->traffic_class)
            traffic->traffic_class[m] = (uint8_t)(e % traffic->traffic_classes);
        if (traffic->process.rate > 0) {
            generator->made_cycles = traffic->process.kind->first_cycles(
                &traffic->process, &generator->memory, &generator->rng);
            if (generator->made_cycles != VEF_FOREVER)
                vef_wakeups_push(&traffic->later, generator->made_cycles, m);
        }
    }
    take_first(traffic);
}

static vef_code fill_in(vef_traffic *traffic, const vef_traffic_settings *settings,
                        vef_error *error) {
    assert(settings->packets.phit_bytes > 0);
    traffic->pattern = settings->pattern;
    traffic->places = settings->places;
    traffic->members = settings->members;
    traffic->member_count =
        settings->members ? settings->member_count : settings->pattern->endpoints;
    traffic->traffic_classes = settings->traffic_classes;
    if (settings->traffic_classes < 1 || settings->traffic_classes > MOST_CLASSES)
        return vef_fail(error, VEF_INVALID,
                        "synthetic traffic of %u traffic classes: out of range: expected 1 to %d",
                        settings->traffic_classes, MOST_CLASSES);
    double mean_phits = 0;
    vef_code code = take_lengths(traffic, settings, &mean_phits, error);
    if (code != VEF_OK)
        return code;
    if (!(settings->rate >= 0) || !isfinite(settings->rate))
        return vef_fail(error, VEF_INVALID,
                        "synthetic traffic at a rate of %g phits per cycle and endpoint: out of "
                        "range: expected at least 0",
                        settings->rate);
    traffic->process = (vef_process){
        .kind = settings->process,
        .parameters = settings->process_parameters,
        .rate = settings->rate / mean_phits,
        .mean_phits = mean_phits,
    };
    if (traffic->process.rate > 0) {
        code = settings->process->prepare(&traffic->process, error);
        if (code != VEF_OK)
            return code;
    }
    traffic->sender =
        vef_arena_alloc(&traffic->arena, traffic->member_count, sizeof *traffic->sender);
    if (settings->traffic_classes > 1)
        traffic->traffic_class = vef_arena_alloc(&traffic->arena, traffic->member_count, 1);
    vef_wakeups_reserve(&traffic->later, traffic->member_count > 0 ? traffic->member_count : 1);
    begin(traffic, settings->seed);
    return VEF_OK;
}

vef_code vef_traffic_create(const vef_traffic_settings *settings, vef_traffic **made,
                            vef_error *error) {
    *made = NULL;
    vef_traffic *traffic = vef_calloc(1, sizeof *traffic);
    const vef_code code = fill_in(traffic, settings, error);
    if (code == VEF_OK)
        *made = traffic;
    else
        vef_traffic_destroy(traffic);
    return code;
}

void vef_traffic_destroy(vef_traffic *traffic) {
    if (!traffic)
        return;
    vef_wakeups_release(&traffic->later);
    vef_arena_release(&traffic->arena);
    free(traffic);
}

uint32_t vef_traffic_senders(const vef_traffic *traffic) {
    return traffic->senders;
}

uint64_t vef_traffic_time(const vef_traffic *traffic) {
    return traffic->time;
}

static uint64_t draw_bytes(const vef_traffic *traffic, vef_rng *rng) {
    if (traffic->length_count == 1)
        return traffic->lengths[0].bytes;
    const double u = vef_rng_unit(rng);
    size_t i = 0;
    while (u >= traffic->lengths[i].up_to)
        i++;
    return traffic->lengths[i].bytes;
}

static uint8_t take_class(vef_traffic *traffic, uint32_t member) {
    if (!traffic->traffic_class)
        return 0;
    uint8_t *next = &traffic->traffic_class[member];
    const uint8_t taken = *next;
    *next = (uint8_t)((taken + 1u) % traffic->traffic_classes);
    return taken;
}

/* The first sender of the present time, as a member. */
static uint32_t first(const vef_traffic *traffic) {
    assert(traffic->time != VEF_FOREVER);
    return traffic->next[traffic->first];
}

/* Sets a new time of the first sender, and advances. */
static void move_on(vef_traffic *traffic, uint64_t time) {
    if (time == traffic->time)
        return; /* still the first */
    if (time != VEF_FOREVER)
        vef_wakeups_push(&traffic->later, time, traffic->next[traffic->first]);
    if (++traffic->first == traffic->beyond)
        take_first(traffic);
}

void vef_traffic_put_off(vef_traffic *traffic, uint64_t until_cycles) {
    assert(traffic->time != VEF_FOREVER);
    move_on(traffic, until_cycles);
}

double vef_traffic_backlog_cycles(const vef_traffic *traffic, uint64_t now_cycles) {
    double sum = 0;
    if (traffic->process.rate <= 0)
        return 0;
    for (uint32_t m = 0; m < traffic->member_count; m++)
        if (traffic->sender[m].made_cycles < now_cycles &&
            vef_pattern_sends(traffic->pattern, endpoint_of(traffic, m)))
            sum += (double)(now_cycles - traffic->sender[m].made_cycles);
    return sum;
}

void vef_traffic_next(vef_traffic *traffic, vef_net_message *message) {
    const uint32_t member = first(traffic), source = endpoint_of(traffic, member);
    sender *generator = &traffic->sender[member];
    const uint32_t destination =
        traffic->pattern->kind->destination(traffic->pattern, source, &generator->rng);
    const uint32_t *places = traffic->places;
    *message = (vef_net_message){
        .source = places ? places[source] : source,
        .destination = places ? places[destination] : destination,
        .bytes = draw_bytes(traffic, &generator->rng),
        .time_cycles = generator->made_cycles,
        .id = traffic->taken++,
        .traffic_class = take_class(traffic, member),
    };
    const uint64_t gap =
        traffic->process.kind->gap_cycles(&traffic->process, &generator->memory, &generator->rng);
    generator->made_cycles =
        gap < VEF_FOREVER - generator->made_cycles ? generator->made_cycles + gap : VEF_FOREVER;
    const uint64_t now = traffic->time;
    move_on(traffic, generator->made_cycles > now ? generator->made_cycles : now);
}

uint32_t vef_traffic_source(const vef_traffic *traffic) {
    const uint32_t source = endpoint_of(traffic, first(traffic));
    return traffic->places ? traffic->places[source] : source;
}
