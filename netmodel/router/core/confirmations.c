/* Confirmations of deliveries: the sender of some messages continues when they have been delivered,
 * and may be in another part than their receiver.
 *
 * When the last packet of such a message is granted its ejection port, the time of the delivery
 * follows, and the receiver's part posts it to that of the source. A window that begins with such
 * messages under way is no longer than the shortest packet takes to pass (split.c), so each grant
 * of a delivery within a window was in an earlier one. A message that enters the network within a
 * window leaves its part after the window, since a link between parts takes as long as that. */
#include "common/containers/grow.h"
#include "netmodel/router/core/network.h"

static void add(vef_confirmation_list *list, const vef_confirmation *confirmation) {
    *VEF_NEW_ITEM(list->items, list->count, list->room) = *confirmation;
}

void vef_network_confirm(const vef_network *network, vef_partition *part, const vef_packet *packet,
                         const vef_calendar_entry *event, uint64_t time_cycles) {
    vef_message *message = vef_message_at(network, packet->message);
    if (!message->confirmed)
        return;
    uint64_t *left = network->ranked ? &message->packets_ungranted : &message->packets_unconfirmed;
    if (--*left > 0)
        return;
    const uint32_t home = network->queues.endpoints[message->source].router;
    const vef_confirmation made = {.time_cycles = time_cycles,
                                   .id = message->id,
                                   .bytes = message->bytes,
                                   .source = message->source,
                                   .router = event->router,
                                   .passing_cycles = event->passing_cycles};
    add(&vef_network_mail_of(network, network->partitions.posting, part->number,
                             vef_network_partition(network, home)->number)
             ->confirmations,
        &made);
}

uint64_t vef_confirmations_first(const vef_confirmation_list *posted) {
    uint64_t time = UINT64_MAX;
    for (uint32_t i = 0; i < posted->count; i++)
        if (posted->items[i].time_cycles < time)
            time = posted->items[i].time_cycles;
    return time;
}

/* Deliveries of a time are in the order of their grants, and of equal ones by router. */
static bool is_before(const vef_confirmation *a, const vef_confirmation *b) {
    if (a->time_cycles != b->time_cycles)
        return a->time_cycles < b->time_cycles;
    if (a->passing_cycles != b->passing_cycles)
        return a->passing_cycles > b->passing_cycles;
    return a->router < b->router;
}

void vef_partition_take_confirmations(vef_partition *part, vef_confirmation_list *posted) {
    vef_confirmation_list *list = &part->confirmations;
    for (uint32_t i = 0; i < posted->count; i++) {
        add(list, &posted->items[i]);
        uint32_t place = list->count - 1; /* the last one comes first */
        for (; place > 0 && is_before(&list->items[place - 1], &posted->items[i]); place--)
            list->items[place] = list->items[place - 1];
        list->items[place] = posted->items[i];
    }
    posted->count = 0;
}

/* How many of the part's own deliveries of this time, from the i-th on, come before the
 * confirmation. */
static size_t own_before(const vef_network *network, const vef_partition *part, size_t i,
                         const vef_confirmation *confirmation) {
    const vef_delivered *own = &part->delivered;
    const size_t first = i;
    for (; i < own->count; i++) {
        const vef_confirmation mine = {
            .time_cycles = part->now_cycles,
            .passing_cycles = own->passing[i],
            .router = network->queues.endpoints[own->items[i].endpoint].router};
        if (!is_before(&mine, confirmation))
            break;
    }
    return i - first;
}

void vef_partition_report(const vef_network *network, vef_partition *part) {
    const vef_net_agent *agent = network->agent;
    vef_delivered *own = &part->delivered;
    size_t reported = 0;
    while (vef_partition_next_confirmation(part) == part->now_cycles) {
        const vef_confirmation next = part->confirmations.items[--part->confirmations.count];
        const size_t before = own_before(network, part, reported, &next);
        if (before > 0)
            part->acts_cycles =
                agent->receive(agent->context, part->number, own->items + reported, before);
        reported += before;
        const vef_net_delivery report = {.id = next.id,
                                         .time_cycles = next.time_cycles,
                                         .endpoint = next.source,
                                         .source = next.source,
                                         .bytes = next.bytes,
                                         .confirmation = true};
        part->acts_cycles = agent->receive(agent->context, part->number, &report, 1);
    }
    if (own->count > reported)
        part->acts_cycles = agent->receive(agent->context, part->number, own->items + reported,
                                           own->count - reported);
    own->count = 0;
}
