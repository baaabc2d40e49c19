/* A network with synthetic traffic of its own. See background.h.
 *
 * The messages of a cycle are injected when the network has reached it and its user lets it go on,
 * behind the user's own of that cycle; so the result depends neither on the steps in which the user
 * advances the network nor on threads. */
#include "replay/jobs/background.h"

#include "common/containers/grow.h"
#include "common/memory.h"
#include "netmodel/clock.h"
#include "netmodel/decorated.h"

#include <stdlib.h>

#define NONE UINT32_MAX

/* A message in the network. */
typedef struct carried {
    uint64_t made_cycles, phits;
    uint32_t next; /* of the free list */
} carried;

typedef struct stream {
    vef_net_background_stream settings;
    bool ended;
    uint64_t look_cycles; /* after how many to look at a source with a full queue again */
    carried *inside;      /* by the number in the id */
    size_t room;
    uint32_t untouched, free_one;
    uint64_t messages, phits; /* delivered */
    vef_latency *latency;
} stream;

struct vef_net_background {
    vef_decorated model; /* first */
    vef_packets packets;
    stream *streams;
    uint32_t count;
    vef_net_delivery *kept; /* deliveries of the user, for the last advance */
    size_t kept_room;
    uint64_t foreign;        /* deliveries that the user waits for */
    uint64_t foreign_phits;  /* phits injected since no delivery was waited for */
    uint64_t foreign_cycles; /* when `foreign` last decreased, or increased from 0 */
};

static vef_net_background *background_of(vef_netmodel *model) {
    return (vef_net_background *)(void *)model;
}

/* ---- the streams ---- */

static uint64_t time_of(const stream *source) {
    const uint64_t time = source->ended ? VEF_FOREVER : vef_traffic_time(source->settings.traffic);
    return time < VEF_FOREVER - source->settings.from_cycles ? time + source->settings.from_cycles
                                                             : VEF_FOREVER;
}

static uint32_t take(stream *source) {
    const uint32_t number = source->free_one;
    if (number != NONE) {
        source->free_one = source->inside[number].next;
        return number;
    }
    if (source->untouched == NONE - 1)
        vef_lost(SIZE_MAX);
    vef_grow(&source->inside, &source->room, source->untouched + (size_t)1, sizeof *source->inside);
    return source->untouched++;
}

static vef_code inject_next(vef_net_background *background, uint32_t which, uint64_t now,
                            vef_error *error) {
    stream *source = &background->streams[which];
    vef_net_message message;
    vef_traffic_next(source->settings.traffic, &message);
    const uint32_t number = take(source);
    source->inside[number] =
        (carried){.made_cycles = message.time_cycles + source->settings.from_cycles,
                  .phits = vef_packets_phits(&background->packets, message.bytes)};
    message.time_cycles = vef_netmodel_time_of(background->model.inner, now);
    message.id = VEF_BACKGROUND_ID | (uint64_t)which << 32 | number;
    return background->model.inner->kind->inject(background->model.inner, &message, error);
}

static vef_code inject_due(vef_net_background *background, uint32_t which, uint64_t now,
                           vef_error *error) {
    const vef_netmodel *inner = background->model.inner;
    stream *load = &background->streams[which];
    vef_code code = VEF_OK;
    if (!load->ended && now >= load->settings.until_cycles)
        load->ended = true;
    while (code == VEF_OK && time_of(load) <= now) {
        const uint32_t source = vef_traffic_source(load->settings.traffic);
        if (inner->kind->waiting && inner->kind->waiting(inner, source) >= VEF_BACKGROUND_WAITING)
            vef_traffic_put_off(load->settings.traffic,
                                now - load->settings.from_cycles + load->look_cycles);
        else
            code = inject_next(background, which, now, error);
    }
    return code;
}

static void count(vef_net_background *background, const vef_net_delivery *delivery) {
    stream *source = &background->streams[vef_net_background_of(delivery->id)];
    const uint32_t number = (uint32_t)delivery->id;
    carried *message = &source->inside[number];
    source->messages++;
    source->phits += message->phits;
    vef_latency_add(source->latency,
                    vef_netmodel_cycles_at(background->model.inner, delivery->time_cycles) -
                        message->made_cycles);
    message->next = source->free_one;
    source->free_one = number;
}

/* ---- the network ---- */

static vef_code loaded_inject(vef_netmodel *model, const vef_net_message *message,
                              vef_error *error) {
    vef_net_background *background = background_of(model);
    const bool to_all = message->destination == VEF_TO_ALL;
    if (background->foreign == 0) {
        background->foreign_phits = 0;
        background->foreign_cycles = vef_netmodel_cycles_at(model, message->time_cycles);
    }
    background->foreign += to_all ? model->endpoints - 1u : 1u;
    background->foreign_phits += vef_packets_phits(&background->packets, message->bytes);
    return background->model.inner->kind->inject(background->model.inner, message, error);
}

/* Keeps the deliveries of the user. */
static void sort_out(vef_net_background *background, const vef_net_delivery *deliveries,
                     size_t delivered, size_t *kept) {
    *kept = 0;
    vef_grow(&background->kept, &background->kept_room, delivered, sizeof *background->kept);
    for (size_t i = 0; i < delivered; i++) {
        if (vef_net_background_is(deliveries[i].id)) {
            count(background, &deliveries[i]);
            continue;
        }
        background->kept[(*kept)++] = deliveries[i];
        background->foreign -=
            deliveries[i].endpoint == VEF_TO_ALL ? background->model.inner->endpoints - 1u : 1u;
        background->foreign_cycles =
            vef_netmodel_cycles_at(background->model.inner, deliveries[i].time_cycles);
    }
}

/* Whether a message of the user, however long and slow its links, should have arrived long ago:
 * arbitration that is not fair may keep it back for ever. */
static bool starves(const vef_net_background *background, uint64_t now) {
    enum { PATIENCE_CYCLES = 1 << 22, CYCLES_PER_PHIT = 4096 };
    return background->foreign > 0 && now > background->foreign_cycles &&
           (now - background->foreign_cycles) / CYCLES_PER_PHIT >
               PATIENCE_CYCLES / CYCLES_PER_PHIT + background->foreign_phits;
}

static vef_code loaded_advance(vef_netmodel *model, uint64_t limit_cycles,
                               const vef_net_delivery **deliveries, size_t *delivered,
                               vef_error *error) {
    vef_net_background *background = background_of(model);
    vef_netmodel *inner = background->model.inner;
    vef_code code = VEF_OK;
    *delivered = 0;
    while (code == VEF_OK && (limit_cycles != VEF_FOREVER || background->foreign > 0)) {
        const uint64_t now = vef_netmodel_cycles_at(inner, inner->kind->now(inner));
        uint64_t step_cycles = limit_cycles;
        char text[2];
        for (uint32_t i = 0; i < background->count && code == VEF_OK; i++) {
            code = inject_due(background, i, now, error);
            const uint64_t next = vef_netmodel_time_of(inner, time_of(&background->streams[i]));
            step_cycles = next < step_cycles ? next : step_cycles;
        }
        size_t arrived;
        if (code == VEF_OK)
            code = inner->kind->advance(inner, step_cycles, deliveries, &arrived, error);
        if (code == VEF_OK)
            sort_out(background, *deliveries, arrived, delivered);
        if (code != VEF_OK || *delivered > 0)
            break;
        const uint64_t reached = inner->kind->now(inner);
        if (reached >= limit_cycles || vef_netmodel_deadlock(inner, text, sizeof text) ||
            (step_cycles == VEF_FOREVER && arrived == 0))
            break;
        if (starves(background, vef_netmodel_cycles_at(inner, reached)))
            return vef_fail(error, VEF_FAILED,
                            "background traffic saturates the network: no message of a job was "
                            "delivered from cycle %llu to %llu: expected a lower rate, or `until`",
                            (unsigned long long)background->foreign_cycles,
                            (unsigned long long)vef_netmodel_cycles_at(inner, reached));
    }
    *deliveries = background->kept;
    return code;
}

/* ---- construction ---- */

static void begin(vef_net_background *background, vef_netmodel *inner,
                  const vef_net_background_stream *streams) {
    const uint64_t a_cycle = inner->injection_phits ? inner->injection_phits : 1;
    for (uint32_t i = 0; i < background->count; i++) {
        background->streams[i] = (stream){.settings = streams[i],
                                          .look_cycles = 1 + VEF_BACKGROUND_WAITING / 2 *
                                                                 streams[i].least_phits / a_cycle,
                                          .free_one = NONE,
                                          .latency = vef_calloc(1, sizeof(vef_latency))};
    }
    vef_decorated_begin(&background->model, inner);
    background->model.kind.inject = loaded_inject;
    background->model.kind.advance = loaded_advance;
    background->model.kind.pass = NULL;
}

vef_code vef_net_background_create(vef_netmodel *model, const vef_net_background_stream *streams,
                                   uint32_t stream_count, vef_net_background **background,
                                   vef_error *error) {
    vef_code code = VEF_OK;
    *background = NULL;
    if (!model->topology)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "background traffic: networks of model %s have no links: expected model "
                        "router or flow",
                        model->kind->name);
    else if (stream_count >= VEF_MOST_BACKGROUNDS)
        code = vef_fail(error, VEF_UNSUPPORTED,
                        "background traffic: %u streams: expected fewer than %d", stream_count,
                        VEF_MOST_BACKGROUNDS);
    if (code != VEF_OK) {
        for (uint32_t i = 0; i < stream_count; i++)
            vef_traffic_destroy(streams[i].traffic);
        return code;
    }
    vef_net_background *made = vef_calloc(1, sizeof *made);
    *made = (vef_net_background){.packets = vef_netmodel_packets(model),
                                 .streams = vef_calloc(stream_count, sizeof *made->streams),
                                 .count = stream_count};
    begin(made, model, streams);
    *background = made;
    return VEF_OK;
}

void vef_net_background_destroy(vef_net_background *background) {
    if (!background)
        return;
    for (uint32_t i = 0; i < background->count; i++) {
        vef_traffic_destroy(background->streams[i].settings.traffic);
        free(background->streams[i].inside);
        free(background->streams[i].latency);
    }
    free(background->streams);
    free(background->kept);
    free(background);
}

vef_netmodel *vef_net_background_model(vef_net_background *background) {
    return &background->model.base;
}

vef_net_background_figures vef_net_background_measure(const vef_net_background *background,
                                                      uint32_t which) {
    const stream *source = &background->streams[which];
    const vef_netmodel *inner = background->model.inner;
    const uint64_t now = vef_netmodel_cycles_at(inner, inner->kind->now(inner));
    const uint64_t end = now < source->settings.until_cycles ? now : source->settings.until_cycles;
    const uint64_t cycles =
        end > source->settings.from_cycles ? end - source->settings.from_cycles : 0;
    vef_net_background_figures figures = {.messages = source->messages,
                                          .phits = source->phits,
                                          .cycles = cycles,
                                          .senders = vef_traffic_senders(source->settings.traffic),
                                          .latency_mean_cycles = vef_latency_mean(source->latency),
                                          .latency_p99_cycles =
                                              vef_latency_percentile(source->latency, 0.99)};
    const double sender_cycles = (double)cycles * figures.senders;
    if (sender_cycles > 0) {
        figures.accepted_load = (double)source->phits / sender_cycles;
        figures.withheld_share =
            vef_traffic_backlog_cycles(source->settings.traffic, cycles) / sender_cycles;
    }
    return figures;
}
