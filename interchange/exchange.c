/* The counts of an Alltoallv from the sums of its members. See exchange.h. */
#include "interchange/exchange.h"

/* What goes from one to the other in proportion. */
static uint64_t share(uint64_t sent, uint64_t received, uint64_t total) {
    return total ? (uint64_t)((unsigned __int128)sent * received / total) : 0;
}

bool vef_exchange_settle(const vef_exchange_sums *sums, vef_exchange_sums *rest, uint32_t size) {
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < size; i++) {
        sent += sums[i].sent;
        received += sums[i].received;
    }
    if (sent != received)
        return false;
    for (uint32_t i = 0; i < size; i++) {
        rest[i] = sums[i];
        for (uint32_t j = 0; j < size; j++) {
            rest[i].sent -= share(sums[i].sent, sums[j].received, sent);
            rest[i].received -= share(sums[j].sent, sums[i].received, sent);
        }
    }
    for (uint32_t i = 1; i < size; i++) {
        rest[i].sent += rest[i - 1].sent;
        rest[i].received += rest[i - 1].received;
    }
    return true;
}

/* The common part of [from, to) and [other, other_end). */
static uint64_t overlap(uint64_t from, uint64_t to, uint64_t other, uint64_t other_end) {
    const uint64_t first = from > other ? from : other, end = to < other_end ? to : other_end;
    return end > first ? end - first : 0;
}

void vef_exchange_fill(const vef_exchange_sums *sums, const vef_exchange_sums *rest, uint32_t size,
                       uint32_t rank, uint64_t *sends, uint64_t *receives) {
    static const vef_exchange_sums none;
    const vef_exchange_sums before = rank ? rest[rank - 1] : none;
    uint64_t total = 0;
    for (uint32_t i = 0; i < size; i++)
        total += sums[i].sent;
    for (uint32_t i = 0; i < size; i++) {
        const vef_exchange_sums pair = i ? rest[i - 1] : none;
        sends[i] = share(sums[rank].sent, sums[i].received, total) +
                   overlap(before.sent, rest[rank].sent, pair.received, rest[i].received);
        receives[i] = share(sums[i].sent, sums[rank].received, total) +
                      overlap(pair.sent, rest[i].sent, before.received, rest[rank].received);
    }
}
