/* Two listeners to one replay. See hooks_pair.h. */
#include "replay/hooks_pair.h"

/* Passes a report on to those of the pair that want it. */
#define BOTH(hook, ...)                                                                            \
    do {                                                                                           \
        const vef_hooks_pair *const pair_ = self;                                                  \
        if (pair_->first->hook)                                                                    \
            pair_->first->hook(pair_->first->self, __VA_ARGS__);                                   \
        if (pair_->second->hook)                                                                   \
            pair_->second->hook(pair_->second->self, __VA_ARGS__);                                 \
    } while (0)

static void begins(void *self, const vef_replay_shape *shape) {
    BOTH(begins, shape);
}

static void starts(void *self, uint32_t strand, uint64_t time_ps) {
    BOTH(starts, strand, time_ps);
}

static void enters(void *self, uint32_t strand, const vef_event *event, uint64_t time_ps) {
    BOTH(enters, strand, event, time_ps);
}

static void leaves(void *self, uint32_t strand, uint64_t time_ps) {
    BOTH(leaves, strand, time_ps);
}

static void starts_plan(void *self, uint32_t who, uint32_t strand, uint16_t call,
                        uint64_t time_ps) {
    BOTH(starts_plan, who, strand, call, time_ps);
}

static void spends(void *self, uint32_t who, vef_spent kind, uint64_t until_ps) {
    BOTH(spends, who, kind, until_ps);
}

static void waits(void *self, uint32_t who, uint64_t since_ps, uint64_t until_ps) {
    BOTH(waits, who, since_ps, until_ps);
}

static void follows(void *self, uint32_t strand, uint32_t other, uint64_t until_ps) {
    BOTH(follows, strand, other, until_ps);
}

static void releases(void *self, vef_release_kind release, uint64_t number) {
    BOTH(releases, release, number);
}

static void sends(void *self, const vef_message_call *call) {
    BOTH(sends, call);
}

static void posts(void *self, const vef_message_call *call) {
    BOTH(posts, call);
}

static void injects(void *self, const vef_net_message *message, uint64_t asked_ps,
                    uint64_t enters_ps, uint64_t arrival_ps) {
    BOTH(injects, message, asked_ps, enters_ps, arrival_ps);
}

static void delivers(void *self, const vef_net_delivery *delivery, uint64_t time_ps) {
    BOTH(delivers, delivery, time_ps);
}

static void broadcasts(void *self, const vef_message_call *call) {
    BOTH(broadcasts, call);
}

static void reaches(void *self, const vef_message_call *call, uint64_t time_ps) {
    BOTH(reaches, call, time_ps);
}

static void ends(void *self, uint32_t task, uint32_t strand, uint64_t end_ps) {
    BOTH(ends, task, strand, end_ps);
}

void vef_hooks_pair_begin(vef_hooks_pair *pair, const vef_replay_hooks *first,
                          const vef_replay_hooks *second) {
    *pair = (vef_hooks_pair){.hooks = {.self = pair,
                                       .begins = begins,
                                       .starts = starts,
                                       .enters = enters,
                                       .leaves = leaves,
                                       .starts_plan = starts_plan,
                                       .spends = spends,
                                       .waits = waits,
                                       .follows = follows,
                                       .releases = releases,
                                       .sends = sends,
                                       .posts = posts,
                                       .injects = injects,
                                       .delivers = delivers,
                                       .broadcasts = broadcasts,
                                       .reaches = reaches,
                                       .ends = ends},
                             .first = first,
                             .second = second};
}
