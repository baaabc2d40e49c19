/* Models that decorate another one. See decorated.h. */
#include "netmodel/decorated.h"

static vef_netmodel *inner_of(const vef_netmodel *model) {
    return ((const vef_decorated *)(const void *)model)->inner;
}

static void split(vef_netmodel *model, uint32_t threads) {
    inner_of(model)->kind->split(inner_of(model), threads);
}

static uint32_t parts(const vef_netmodel *model, uint32_t *part_of) {
    return inner_of(model)->kind->parts(inner_of(model), part_of);
}

static vef_code inject(vef_netmodel *model, const vef_net_message *message, vef_error *error) {
    return inner_of(model)->kind->inject(inner_of(model), message, error);
}

static void pass(vef_netmodel *model, uint64_t bytes) {
    inner_of(model)->kind->pass(inner_of(model), bytes);
}

static vef_code can_broadcast(const vef_netmodel *model, vef_error *error) {
    return inner_of(model)->kind->can_broadcast(inner_of(model), error);
}

static vef_code advance(vef_netmodel *model, uint64_t limit_cycles,
                        const vef_net_delivery **deliveries, size_t *count, vef_error *error) {
    return inner_of(model)->kind->advance(inner_of(model), limit_cycles, deliveries, count, error);
}

static uint64_t now(const vef_netmodel *model) {
    return inner_of(model)->kind->now(inner_of(model));
}

static void statistics(const vef_netmodel *model, vef_net_statistics *figures) {
    inner_of(model)->kind->statistics(inner_of(model), figures);
}

static void counts(const vef_netmodel *model, vef_net_counts *counted) {
    inner_of(model)->kind->counts(inner_of(model), counted);
}

static void begin_figures(vef_netmodel *model) {
    inner_of(model)->kind->begin_figures(inner_of(model));
}

static uint64_t link_phits(const vef_netmodel *model, uint32_t router, uint32_t port) {
    return inner_of(model)->kind->link_phits(inner_of(model), router, port);
}

static uint64_t link_busy_cycles(const vef_netmodel *model, uint32_t router, uint32_t port) {
    return inner_of(model)->kind->link_busy_cycles(inner_of(model), router, port);
}

static void watch(vef_netmodel *model, const vef_net_watch *watcher) {
    inner_of(model)->kind->watch(inner_of(model), watcher);
}

static uint32_t waiting(const vef_netmodel *model, uint32_t endpoint) {
    return inner_of(model)->kind->waiting(inner_of(model), endpoint);
}

static bool deadlock(const vef_netmodel *model, char *text, size_t text_bytes) {
    return inner_of(model)->kind->deadlock(inner_of(model), text, text_bytes);
}

static void put_config(const vef_netmodel *model, vef_node *into) {
    inner_of(model)->kind->put_config(inner_of(model), into);
}

void vef_decorated_begin(vef_decorated *decorated, vef_netmodel *inner) {
    const vef_netmodel_kind *kind = inner->kind;
    decorated->inner = inner;
    decorated->base = *inner;
    decorated->base.kind = &decorated->kind;
    decorated->kind = *kind; /* its name, and what makes models from files */
    decorated->kind.destroy = NULL;
    decorated->kind.attend = NULL; /* its messages would pass the decorator by */
    decorated->kind.dismiss = NULL;
    decorated->kind.add_group =
        NULL; /* decorators count deliveries by the destinations of messages */
#define FORWARD(name) decorated->kind.name = kind->name ? name : NULL
    FORWARD(split);
    FORWARD(parts);
    FORWARD(inject);
    FORWARD(pass);
    FORWARD(can_broadcast);
    FORWARD(advance);
    FORWARD(now);
    FORWARD(statistics);
    FORWARD(counts);
    FORWARD(begin_figures);
    FORWARD(link_phits);
    FORWARD(link_busy_cycles);
    FORWARD(watch);
    FORWARD(waiting);
    FORWARD(deadlock);
    FORWARD(put_config);
#undef FORWARD
}
