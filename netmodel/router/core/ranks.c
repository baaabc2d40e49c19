/* A network whose parts are simulated by as many processes, part n by rank n (netmodel/ranks.h).
 *
 * Every rank divides the whole network in the same way and has memory for all of it, of which it
 * touches only that of its part. At the end of a window mail to other parts goes to their ranks: a
 * credit as it is, a packet by value, with its route and its message. The packet ends here and
 * becomes one of the pool there.
 *
 * A message has a record at its source, and wherever a packet of it is. A rank between the two has
 * one for each packet; where the destination is, all packets of a message share one, which counts
 * those delivered. It is found by a serial number that the message gets when its first packet
 * leaves the rank of its source, and that no other message has. At the source itself the record
 * counts the packets that have not left, unless the destination is there too: packets that take a
 * way through other ranks then return to it.
 *
 * With an agent that confirms (confirmations.c) a rank exchanges mail with every other one: its
 * confirmations, and what the agent needs to know there of messages that arrive in later windows.
 */
#include "netmodel/ranks.h"

#include "common/containers/grow.h"
#include "common/containers/map64.h"
#include "common/memory.h"
#include "netmodel/router/core/network.h"

#include <stdlib.h>

typedef struct vef_ranked {
    const vef_net_ranks *ranks;
    vef_net_peer *peers; /* ranks with which it shares links, or may share confirmations */
    uint32_t peer_count;
    bool complete;     /* every rank is a peer of every other one */
    uint64_t serials;  /* given to messages so far */
    vef_map64 records; /* by serial number, the messages whose packets share one here */
} vef_ranked;

/* How mail begins; the credits follow, the confirmations, the packets, and what the agent adds. */
typedef struct heading {
    uint64_t next_cycles; /* of the sender's part */
    int64_t unconfirmed;  /* likewise */
    uint64_t credits, confirmations, packets;
} heading;

static void exchange(const vef_ranked *ranked) {
    const vef_net_ranks *ranks = ranked->ranks;
    ranks->exchange(ranks->context, ranked->peers, ranked->peer_count);
    for (uint32_t i = 0; i < ranked->peer_count; i++)
        ranked->peers[i].out_bytes = 0;
}

/* ---- messages ---- */

static bool has_several_packets(const vef_network *network, const vef_message *message) {
    return message->bytes > network->sizes.payload_bytes;
}

/* Whether all packets of the message that come here share a record. */
static bool is_collected(const vef_network *network, const vef_message *message) {
    return has_several_packets(network, message) &&
           vef_network_holds(network, network->queues.endpoints[message->destination].router);
}

/* A packet of the message leaves this rank. */
static void leave(vef_network *network, vef_partition *part, uint32_t number,
                  vef_message *message) {
    vef_ranked *ranked = network->ranked;
    if (is_collected(network, message))
        vef_map64_set(&ranked->records, message->serial, number);
    else if (--message->packets_out == 0)
        vef_network_put_unused(network, part, VEF_MESSAGES, number, &message->next);
}

/* The record for a packet that comes here, of a message that is described by that of its source. */
static uint32_t join(vef_network *network, vef_partition *part, const vef_message *given) {
    vef_ranked *ranked = network->ranked;
    const bool collected = is_collected(network, given);
    const uint64_t *known = collected ? vef_map64_get(&ranked->records, given->serial) : NULL;
    if (known)
        return (uint32_t)*known;
    const uint32_t number = vef_network_take_message(network, part);
    vef_message *message = vef_message_at(network, number);
    *message = *given;
    message->packets_out = collected ? vef_packets_of(&network->sizes, given->bytes) : 1;
    message->packets_ungranted = message->packets_out;
    message->next = VEF_NONE;
    if (collected)
        vef_map64_set(&ranked->records, given->serial, number);
    return number;
}

void vef_ranks_forget(vef_network *network, const vef_message *message) {
    uint64_t number;
    if (message->serial > 0)
        vef_map64_take(&network->ranked->records, message->serial, &number);
}

/* ---- mail ---- */

static void put_packet(vef_network *network, vef_partition *part, const vef_parcel *parcel,
                       vef_net_peer *peer) {
    vef_ranked *ranked = network->ranked;
    const vef_link_state *links = &network->links;
    const uint32_t number = parcel->event.packet;
    const vef_packet *packet = vef_packet_at(network, number);
    vef_message *message = vef_message_at(network, packet->message);
    if (message->serial == 0 && has_several_packets(network, message))
        message->serial = ++ranked->serials * ranked->ranks->count + ranked->ranks->rank;
    vef_net_put(peer, parcel, sizeof *parcel);
    vef_net_put(peer, packet, network->pools.packet_stride);
    vef_net_put(peer, message, sizeof *message);
    if (links->ways)
        vef_net_put(peer, &links->ways[number], sizeof *links->ways);
    if (links->lines)
        vef_net_put(peer, links->lines + (size_t)number * links->plan.pace_count,
                    links->plan.pace_count * sizeof *links->lines);
    leave(network, part, packet->message, message);
    vef_network_free_packet(network, part, number);
}

static const unsigned char *get_packet(vef_network *network, vef_partition *part,
                                       const unsigned char *from, vef_parcel *parcel) {
    const vef_link_state *links = &network->links;
    const uint32_t number = vef_network_take_packet(network, part);
    vef_packet *packet = vef_packet_at(network, number);
    vef_message message;
    from = vef_net_get(from, parcel, sizeof *parcel);
    from = vef_net_get(from, packet, network->pools.packet_stride);
    from = vef_net_get(from, &message, sizeof message);
    if (links->ways)
        from = vef_net_get(from, &links->ways[number], sizeof *links->ways);
    if (links->lines)
        from = vef_net_get(from, links->lines + (size_t)number * links->plan.pace_count,
                           links->plan.pace_count * sizeof *links->lines);
    packet->next = VEF_NONE;
    packet->message = join(network, part, &message);
    parcel->event.packet = number;
    return from;
}

static void put_mail(vef_network *network, vef_partition *part, uint32_t half, vef_net_peer *peer) {
    vef_mail *mail = vef_network_mail_of(network, half, part->number, peer->rank);
    const vef_net_agent *agent = network->agent;
    vef_confirmation_list *confirmations = &mail->confirmations;
    const heading head = {part->next_cycles, part->unconfirmed, mail->credit_count,
                          confirmations->count, mail->arrival_count};
    vef_net_put(peer, &head, sizeof head);
    vef_net_put(peer, mail->credits, mail->credit_count * sizeof *mail->credits);
    vef_net_put(peer, confirmations->items, confirmations->count * sizeof *confirmations->items);
    for (uint32_t i = 0; i < mail->arrival_count; i++)
        put_packet(network, part, &mail->arrivals[i], peer);
    if (agent && agent->put)
        agent->put(agent->context, peer);
    mail->credit_count = mail->arrival_count = confirmations->count = 0;
}

/* Returns the next time of the sender, and keeps what the length of a window depends on. */
static uint64_t get_mail(vef_network *network, vef_partition *part, uint32_t half,
                         const vef_net_peer *peer) {
    vef_mail *mail = vef_network_mail_of(network, half, peer->rank, part->number);
    vef_confirmation_list *confirmations = &mail->confirmations;
    heading head;
    const unsigned char *from = vef_net_get(peer->in, &head, sizeof head);
    network->partitions.parts[peer->rank].unconfirmed = head.unconfirmed;
    mail->credit_count = (uint32_t)head.credits;
    from = vef_net_get(from, mail->credits, mail->credit_count * sizeof *mail->credits);
    confirmations->count = (uint32_t)head.confirmations;
    vef_grow(&confirmations->items, &confirmations->room, confirmations->count,
             sizeof *confirmations->items);
    from = vef_net_get(from, confirmations->items,
                       confirmations->count * sizeof *confirmations->items);
    for (uint64_t i = 0; i < head.packets; i++)
        from = get_packet(network, part, from, &mail->arrivals[mail->arrival_count++]);
    const size_t rest = (size_t)(peer->in + peer->in_bytes - from);
    if (rest > 0)
        network->agent->take(network->agent->context, peer->rank, from, rest);
    return head.next_cycles;
}

uint64_t vef_ranks_meet(vef_network *network, uint32_t half) {
    vef_ranked *ranked = network->ranked;
    const vef_net_ranks *ranks = ranked->ranks;
    vef_partition *part = &network->partitions.parts[ranks->rank];
    for (uint32_t i = 0; i < ranked->peer_count; i++)
        put_mail(network, part, half, &ranked->peers[i]);
    exchange(ranked);
    uint64_t next = part->next_cycles;
    for (uint32_t i = 0; i < ranked->peer_count; i++) {
        const uint64_t other = get_mail(network, part, half, &ranked->peers[i]);
        next = other < next ? other : next;
    }
    if (!ranked->complete)
        ranks->least(ranks->context, &next, 1);
    return next;
}

/* ---- building ---- */

static vef_code check(const vef_network *network, const vef_net_ranks *ranks, vef_error *error) {
    static const char *const expected = "not supported by several processes: expected one";
    if (network->routing->sees_all)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "routing %s sees queues of other routers (view: global): %s",
                        network->routing->algorithm->name, expected);
    if (network->policies.moving.windows)
        return vef_fail(error, VEF_UNSUPPORTED, "congestion with windows: %s", expected);
    if (!vef_network_divisible(network))
        return vef_fail(error, VEF_UNSUPPORTED,
                        "router.backpressure: pause without link.credit_delay: %s", expected);
    if (network->links.longest_passage_cycles > UINT16_MAX)
        return vef_fail(error, VEF_UNSUPPORTED, "packets that need %u cycles for a link: %s",
                        network->links.longest_passage_cycles, expected);
    const uint32_t routers = network->topology->endpoints / network->shape.per_router;
    if (ranks->count > VEF_MOST_RANKS || ranks->count > routers)
        return vef_fail(error, VEF_UNSUPPORTED,
                        "%u processes for %u routers with endpoints: expected at most %u",
                        ranks->count, routers, routers < VEF_MOST_RANKS ? routers : VEF_MOST_RANKS);
    return VEF_OK;
}

/* Ranks whose parts have links to that of this rank are its peers. */
static void take_peers(const vef_network *network, vef_ranked *ranked) {
    bool shares[VEF_MOST_RANKS] = {false};
    for (uint32_t router = 0; router < network->topology->routers; router++)
        for (uint32_t port = 0; vef_network_holds(network, router) && port < network->shape.ports;
             port++) {
            const uint32_t next =
                network->topology->neighbour[(size_t)router * network->shape.ports + port];
            if (next != VEF_NO_ROUTER)
                shares[network->partitions.part_of[next]] = true;
        }
    ranked->peers = vef_calloc(VEF_MOST_RANKS, sizeof *ranked->peers);
    for (uint32_t rank = 0; rank < VEF_MOST_RANKS; rank++)
        if (shares[rank] && rank != ranked->ranks->rank)
            ranked->peers[ranked->peer_count++].rank = rank;
    uint64_t least = ranked->peer_count;
    ranked->ranks->least(ranked->ranks->context, &least, 1);
    ranked->complete = least + 1 == ranked->ranks->count;
}

/* Confirmations may go from every part to every other one. */
void vef_ranks_confirm(vef_network *network) {
    vef_ranked *ranked = network->ranked;
    ranked->peer_count = 0;
    for (uint32_t rank = 0; rank < ranked->ranks->count; rank++)
        if (rank != ranked->ranks->rank)
            ranked->peers[ranked->peer_count++].rank = rank;
    ranked->complete = true;
}

vef_code vef_network_spread(vef_netmodel *base, const vef_net_ranks *ranks, vef_error *error) {
    vef_network *network = (vef_network *)base;
    const vef_code code = check(network, ranks, error);
    if (code != VEF_OK)
        return code;
    vef_network_set_parts(network, ranks->count);
    network->ranked = vef_calloc(1, sizeof *network->ranked);
    network->ranked->ranks = base->ranks = ranks;
    network->figures.link_phits =
        vef_calloc((size_t)network->topology->routers * network->shape.ports,
                   sizeof *network->figures.link_phits);
    take_peers(network, network->ranked);
    return VEF_OK;
}

void vef_ranks_release(vef_network *network) {
    vef_ranked *ranked = network->ranked;
    if (!ranked)
        return;
    for (uint32_t i = 0; i < ranked->peer_count; i++) {
        free(ranked->peers[i].in);
        free(ranked->peers[i].out);
    }
    vef_map64_free(&ranked->records);
    free(ranked->peers);
    free(network->figures.link_phits);
    free(ranked);
}
