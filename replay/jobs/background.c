/* A network with synthetic traffic of its own. See background.h.
 *
 * The messages of a cycle are injected when the network has reached it and its user lets it go on,
 * behind the user's own of that cycle; so the result depends neither on the steps in which the user
 * advances the network nor on threads. */
#include "replay/jobs/background.h"

#include "common/grow.h"
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
    vef_net_background_stream is;
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
    uint64_t foreign;        /* deliveries that the user waits for, */
    uint64_t foreign_phits;  /* phits injected since there was none, */
    uint64_t foreign_cycles; /* and the time of the last one */
};

static vef_net_background *background_of(vef_netmodel *model) {
    return (vef_net_background *)(void *)model;
}

/* ---- the streams ---- */

static uint64_t time_of(const stream *self) {
    const uint64_t time = self->ended ? VEF_FOREVER : vef_traffic_time(self->is.traffic);
    return time < VEF_FOREVER - self->is.from_cycles ? time + self->is.from_cycles : VEF_FOREVER;
}

static uint32_t take(stream *self) {
    const uint32_t number = self->free_one;
    if (number != NONE) {
        self->free_one = self->inside[number].next;
        return number;
    }
    if (self->untouched == NONE - 1)
        vef_lost(SIZE_MAX);
    vef_grow(&self->inside, &self->room, self->untouched + (size_t)1, sizeof *self->inside);
    return self->untouched++;
}

static vef_code inject_next(vef_net_background *self, uint32_t which, uint64_t now,
                            vef_error *error) {
    stream *of = &self->streams[which];
    vef_net_message message;
    vef_traffic_next(of->is.traffic, &message);
    const uint32_t number = take(of);
    of->inside[number] = (carried){.made_cycles = message.time_cycles + of->is.from_cycles,
                                   .phits = vef_packets_phits(&self->packets, message.bytes)};
    message.time_cycles = vef_netmodel_time_of(self->model.inner, now);
    message.id = VEF_BACKGROUND_ID | (uint64_t)which << 32 | number;
    return self->model.inner->kind->inject(self->model.inner, &message, error);
}

static vef_code inject_due(vef_net_background *self, uint32_t which, uint64_t now,
                           vef_error *error) {
    const vef_netmodel *inner = self->model.inner;
    stream *of = &self->streams[which];
    vef_code code = VEF_OK;
    if (!of->ended && now >= of->is.until_cycles)
        of->ended = true;
    while (code == VEF_OK && time_of(of) <= now) {
        const uint32_t source = vef_traffic_source(of->is.traffic);
        if (inner->kind->waiting && inner->kind->waiting(inner, source) >= VEF_BACKGROUND_WAITING)
            vef_traffic_put_off(of->is.traffic, now - of->is.from_cycles + of->look_cycles);
        else
            code = inject_next(self, which, now, error);
    }
    return code;
}

static void count(vef_net_background *self, const vef_net_delivery *delivery) {
    stream *of = &self->streams[vef_net_background_of(delivery->id)];
    const uint32_t number = (uint32_t)delivery->id;
    carried *message = &of->inside[number];
    of->messages++;
    of->phits += message->phits;
    vef_latency_add(of->latency, vef_netmodel_cycles_at(self->model.inner, delivery->time_cycles) -
                                     message->made_cycles);
    message->next = of->free_one;
    of->free_one = number;
}

/* ---- the network ---- */

static vef_code loaded_inject(vef_netmodel *model, const vef_net_message *message,
                              vef_error *error) {
    vef_net_background *self = background_of(model);
    const bool to_all = message->destination == VEF_TO_ALL;
    if (self->foreign == 0) {
        self->foreign_phits = 0;
        self->foreign_cycles = vef_netmodel_cycles_at(model, message->time_cycles);
    }
    self->foreign += to_all ? model->endpoints - 1u : 1u;
    self->foreign_phits += vef_packets_phits(&self->packets, message->bytes);
    return self->model.inner->kind->inject(self->model.inner, message, error);
}

/* Keeps the deliveries of the user. */
static void sort_out(vef_net_background *self, const vef_net_delivery *deliveries, size_t delivered,
                     size_t *kept) {
    *kept = 0;
    vef_grow(&self->kept, &self->kept_room, delivered, sizeof *self->kept);
    for (size_t i = 0; i < delivered; i++) {
        if (vef_net_background_is(deliveries[i].id)) {
            count(self, &deliveries[i]);
            continue;
        }
        self->kept[(*kept)++] = deliveries[i];
        self->foreign -=
            deliveries[i].endpoint == VEF_TO_ALL ? self->model.inner->endpoints - 1u : 1u;
        self->foreign_cycles = vef_netmodel_cycles_at(self->model.inner, deliveries[i].time_cycles);
    }
}

/* Whether a message of the user, however long and slow its links, should have arrived long ago:
 * arbitration that is not fair may keep it back for ever. */
static bool starves(const vef_net_background *self, uint64_t now) {
    enum { PATIENCE_CYCLES = 1 << 22, CYCLES_PER_PHIT = 4096 };
    return self->foreign > 0 && now > self->foreign_cycles &&
           (now - self->foreign_cycles) / CYCLES_PER_PHIT >
               PATIENCE_CYCLES / CYCLES_PER_PHIT + self->foreign_phits;
}

static vef_code loaded_advance(vef_netmodel *model, uint64_t limit_cycles,
                               const vef_net_delivery **deliveries, size_t *delivered,
                               vef_error *error) {
    vef_net_background *self = background_of(model);
    vef_netmodel *inner = self->model.inner;
    vef_code code = VEF_OK;
    *delivered = 0;
    while (code == VEF_OK && (limit_cycles != VEF_FOREVER || self->foreign > 0)) {
        const uint64_t now = vef_netmodel_cycles_at(inner, inner->kind->now(inner));
        uint64_t step_cycles = limit_cycles;
        char text[2];
        for (uint32_t i = 0; i < self->count && code == VEF_OK; i++) {
            code = inject_due(self, i, now, error);
            const uint64_t next = vef_netmodel_time_of(inner, time_of(&self->streams[i]));
            step_cycles = next < step_cycles ? next : step_cycles;
        }
        size_t all;
        if (code == VEF_OK)
            code = inner->kind->advance(inner, step_cycles, deliveries, &all, error);
        if (code == VEF_OK)
            sort_out(self, *deliveries, all, delivered);
        if (code != VEF_OK || *delivered > 0)
            break;
        const uint64_t reached = inner->kind->now(inner);
        if (reached >= limit_cycles || vef_netmodel_deadlock(inner, text, sizeof text) ||
            (step_cycles == VEF_FOREVER && all == 0))
            break;
        if (starves(self, vef_netmodel_cycles_at(inner, reached)))
            return vef_fail(error, VEF_FAILED,
                            "background traffic saturates the network: no message of a job was "
                            "delivered from cycle %llu to %llu: expected a lower rate, or `until`",
                            (unsigned long long)self->foreign_cycles,
                            (unsigned long long)vef_netmodel_cycles_at(inner, reached));
    }
    *deliveries = self->kept;
    return code;
}

/* ---- construction ---- */

static void begin(vef_net_background *self, vef_netmodel *inner,
                  const vef_net_background_stream *streams) {
    const uint64_t a_cycle = inner->injection_phits ? inner->injection_phits : 1;
    for (uint32_t i = 0; i < self->count; i++) {
        self->streams[i] = (stream){.is = streams[i],
                                    .look_cycles = 1 + VEF_BACKGROUND_WAITING / 2 *
                                                           streams[i].least_phits / a_cycle,
                                    .free_one = NONE,
                                    .latency = vef_calloc(1, sizeof(vef_latency))};
    }
    vef_decorated_begin(&self->model, inner);
    self->model.kind.inject = loaded_inject;
    self->model.kind.advance = loaded_advance;
    self->model.kind.pass = NULL;
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
    vef_net_background *self = vef_calloc(1, sizeof *self);
    *self = (vef_net_background){.packets = vef_netmodel_packets(model),
                                 .streams = vef_calloc(stream_count, sizeof *self->streams),
                                 .count = stream_count};
    begin(self, model, streams);
    *background = self;
    return VEF_OK;
}

void vef_net_background_destroy(vef_net_background *self) {
    if (!self)
        return;
    for (uint32_t i = 0; i < self->count; i++) {
        vef_traffic_destroy(self->streams[i].is.traffic);
        free(self->streams[i].inside);
        free(self->streams[i].latency);
    }
    free(self->streams);
    free(self->kept);
    free(self);
}

vef_netmodel *vef_net_background_model(vef_net_background *self) {
    return &self->model.base;
}

vef_net_background_figures vef_net_background_measure(const vef_net_background *self,
                                                      uint32_t which) {
    const stream *of = &self->streams[which];
    const vef_netmodel *inner = self->model.inner;
    const uint64_t now = vef_netmodel_cycles_at(inner, inner->kind->now(inner));
    const uint64_t end = now < of->is.until_cycles ? now : of->is.until_cycles;
    const uint64_t cycles = end > of->is.from_cycles ? end - of->is.from_cycles : 0;
    vef_net_background_figures figures = {.messages = of->messages,
                                          .phits = of->phits,
                                          .cycles = cycles,
                                          .senders = vef_traffic_senders(of->is.traffic),
                                          .latency_mean_cycles = vef_latency_mean(of->latency),
                                          .latency_p99_cycles =
                                              vef_latency_percentile(of->latency, 0.99)};
    const double sender_cycles = (double)cycles * figures.senders;
    if (sender_cycles > 0) {
        figures.accepted_load = (double)of->phits / sender_cycles;
        figures.withheld_share = vef_traffic_backlog_cycles(of->is.traffic, cycles) / sender_cycles;
    }
    return figures;
}
