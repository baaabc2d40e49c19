/* The busiest links, and what loads them. See hot_links.h. */
#include "replay/explain/hot_links.h"

#include "common/containers/map64.h"
#include "replay/explain/messages.h"

/* ---- utilisation ---- */

static void insert(vef_hot_links *links, const vef_hot_link *link) {
    if (links->count == VEF_HOT_LINKS &&
        links->list[VEF_HOT_LINKS - 1].utilization >= link->utilization)
        return;
    uint32_t place = links->count < VEF_HOT_LINKS ? links->count++ : VEF_HOT_LINKS - 1;
    for (; place > 0 && links->list[place - 1].utilization < link->utilization; place--)
        links->list[place] = links->list[place - 1];
    links->list[place] = *link;
}

void vef_hot_links_find(const vef_netmodel *network, double time_cycles, vef_hot_links *links) {
    const vef_netmodel_kind *kind = network->kind;
    const vef_topology *topology = network->topology;
    *links = (vef_hot_links){0};
    if (!kind->link_busy_cycles || !topology || time_cycles <= 0)
        return;
    for (uint32_t router = 0; router < topology->routers; router++)
        for (uint32_t port = 0; port < topology->ports; port++) {
            if (topology->neighbour[(size_t)router * topology->ports + port] == VEF_NO_ROUTER)
                continue;
            const uint64_t busy = kind->link_busy_cycles(network, router, port);
            const vef_hot_link link = {.router = router,
                                       .port = port,
                                       .utilization = (double)busy / time_cycles,
                                       .phits = kind->link_phits(network, router, port)};
            if (busy > 0)
                insert(links, &link);
        }
}

/* ---- pairs ---- */

typedef struct counter {
    vef_hot_links *links;
    uint32_t ports;
    vef_map64 rank;                 /* of the hot links, by router * ports + port */
    vef_map64 phits[VEF_HOT_LINKS]; /* by pair: from << 32 | to */
    vef_carried_messages messages;
} counter;

static void crosses(void *context, uint32_t router, uint32_t port, uint64_t id, uint64_t phits) {
    counter *tally = context;
    const uint64_t *rank = vef_map64_get(&tally->rank, (uint64_t)router * tally->ports + port);
    const unsigned part = id % VEF_MESSAGE_PARTS;
    if (!rank || part == VEF_MESSAGE_BROADCAST)
        return;
    const vef_carried_message *message = vef_carried_get(&tally->messages, id);
    if (!message)
        return;
    const bool back = part == VEF_MESSAGE_CLEARANCE || (message->window && message->leg_count > 1);
    const uint64_t from = back ? message->receiver : message->sender;
    const uint64_t to = back ? message->sender : message->receiver;
    uint64_t *sum = vef_map64_get(&tally->phits[*rank], from << 32 | to);
    if (sum)
        *sum += phits;
    else
        vef_map64_set(&tally->phits[*rank], from << 32 | to, phits);
}

/* Whether a pair comes before another: more phits, then the lower tasks. */
static bool precedes(const vef_hot_pair *a, const vef_hot_pair *b) {
    if (a->phits != b->phits)
        return a->phits > b->phits;
    return a->from != b->from ? a->from < b->from : a->to < b->to;
}

/* The pairs of a link with most phits. */
static void rank_pairs(const vef_map64 *phits, vef_hot_link *link) {
    link->pair_count = (uint32_t)phits->count;
    for (size_t i = 0; i < phits->capacity; i++) {
        if (phits->keys[i] == UINT64_MAX)
            continue;
        const vef_hot_pair pair = {(uint32_t)(phits->keys[i] >> 32), (uint32_t)phits->keys[i],
                                   phits->values[i]};
        const bool full = link->shown == VEF_HOT_PAIRS;
        if (full && !precedes(&pair, &link->pairs[VEF_HOT_PAIRS - 1]))
            continue;
        uint32_t place = full ? VEF_HOT_PAIRS - 1 : link->shown++;
        for (; place > 0 && precedes(&pair, &link->pairs[place - 1]); place--)
            link->pairs[place] = link->pairs[place - 1];
        link->pairs[place] = pair;
    }
}

static vef_code count(counter *tally, vef_trace *trace, vef_netmodel *fresh,
                      const uint32_t *mapping, const vef_replay_options *options,
                      vef_progress *progress, vef_error *error) {
    vef_listener listener = {.context = tally, .crosses = crosses};
    vef_replay_options counted = *options;
    vef_replay_result result;
    counted.listeners = NULL;
    vef_listen(&counted.listeners, &listener);
    vef_listen(&counted.listeners, &tally->messages.listener);
    for (uint32_t i = 0; i < tally->links->count; i++)
        vef_map64_set(
            &tally->rank,
            (uint64_t)tally->links->list[i].router * tally->ports + tally->links->list[i].port, i);
    vef_code code = vef_replay(trace, fresh, mapping, &counted, progress, &result, error);
    for (uint32_t i = 0; i < tally->links->count && code == VEF_OK; i++)
        rank_pairs(&tally->phits[i], &tally->links->list[i]);
    vef_replay_result_release(&result);
    return code;
}

vef_code vef_hot_links_count(vef_trace *trace, vef_netmodel *fresh, const uint32_t *mapping,
                             const vef_replay_options *options, vef_progress *progress,
                             vef_hot_links *links, vef_error *error) {
    if (!fresh->kind->watch || links->count == 0)
        return VEF_OK;
    counter tally = {.links = links, .ports = fresh->topology->ports};
    vef_carried_begin(&tally.messages);
    vef_code code = count(&tally, trace, fresh, mapping, options, progress, error);
    links->counted = code == VEF_OK;
    vef_map64_free(&tally.rank);
    for (unsigned i = 0; i < VEF_HOT_LINKS; i++)
        vef_map64_free(&tally.phits[i]);
    vef_carried_release(&tally.messages);
    return code;
}
