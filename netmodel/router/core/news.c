/* News of deliveries: the sender of some messages goes on when they have been delivered, and may be
 * in another part than their receiver.
 *
 * When the last packet of such a message is granted its ejection port, the time of the delivery
 * follows, and the receiver's part posts it to that of the source. A window that begins with such
 * messages under way is no longer than the shortest packet takes to pass (split.c), so each grant
 * of a delivery within a window was in an earlier one. A message that enters the network within a
 * window leaves its part after the window, since a link between parts takes as long as that. */
#include "common/containers/grow.h"
#include "netmodel/router/core/network.h"

static void add(vef_news_list *list, const vef_news *news) {
    *VEF_NEW_ITEM(list->items, list->count, list->room) = *news;
}

void vef_network_tell(const vef_network *network, vef_partition *part, const vef_packet *packet,
                      const vef_calendar_entry *event, uint64_t time_cycles) {
    vef_message *message = vef_message_at(network, packet->message);
    if (!message->tells || --message->packets_untold > 0)
        return;
    const uint32_t home = network->queues.endpoints[message->source].router;
    const vef_news news = {.time_cycles = time_cycles,
                           .id = message->id,
                           .bytes = message->bytes,
                           .source = message->source,
                           .router = event->router,
                           .passing_cycles = event->passing_cycles};
    add(&vef_network_mail_of(network, network->partitions.posting, part->number,
                             vef_network_partition(network, home)->number)
             ->news,
        &news);
}

uint64_t vef_news_first(const vef_news_list *posted) {
    uint64_t time = UINT64_MAX;
    for (uint32_t i = 0; i < posted->count; i++)
        if (posted->items[i].time_cycles < time)
            time = posted->items[i].time_cycles;
    return time;
}

/* Deliveries of a time are in the order of their grants, and of equal ones by router. */
static bool is_before(const vef_news *a, const vef_news *b) {
    if (a->time_cycles != b->time_cycles)
        return a->time_cycles < b->time_cycles;
    if (a->passing_cycles != b->passing_cycles)
        return a->passing_cycles > b->passing_cycles;
    return a->router < b->router;
}

void vef_partition_take_news(vef_partition *part, vef_news_list *posted) {
    vef_news_list *news = &part->news;
    for (uint32_t i = 0; i < posted->count; i++) {
        add(news, &posted->items[i]);
        uint32_t place = news->count - 1; /* the last one comes first */
        for (; place > 0 && is_before(&news->items[place - 1], &posted->items[i]); place--)
            news->items[place] = news->items[place - 1];
        news->items[place] = posted->items[i];
    }
    posted->count = 0;
}

/* How many of the part's own deliveries of this time, from the i-th on, come before the news. */
static size_t own_before(const vef_network *network, const vef_partition *part, size_t i,
                         const vef_news *news) {
    const vef_delivered *own = &part->delivered;
    const size_t first = i;
    for (; i < own->count; i++) {
        const vef_news mine = {.time_cycles = part->now_cycles,
                               .passing_cycles = own->passing[i],
                               .router = network->queues.endpoints[own->items[i].endpoint].router};
        if (!is_before(&mine, news))
            break;
    }
    return i - first;
}

void vef_partition_report(const vef_network *network, vef_partition *part) {
    const vef_net_agent *agent = network->agent;
    vef_delivered *own = &part->delivered;
    size_t reported = 0;
    while (vef_partition_next_news(part) == part->now_cycles) {
        const vef_news news = part->news.items[--part->news.count];
        const size_t before = own_before(network, part, reported, &news);
        if (before > 0)
            part->acts_cycles =
                agent->receive(agent->context, part->number, own->items + reported, before);
        reported += before;
        const vef_net_delivery told = {.id = news.id,
                                       .time_cycles = news.time_cycles,
                                       .endpoint = news.source,
                                       .source = news.source,
                                       .bytes = news.bytes,
                                       .told = true};
        part->acts_cycles = agent->receive(agent->context, part->number, &told, 1);
    }
    if (own->count > reported)
        part->acts_cycles = agent->receive(agent->context, part->number, own->items + reported,
                                           own->count - reported);
    own->count = 0;
}
