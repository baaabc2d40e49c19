/* The counts of a collective from the sums of its members. See exchange.h. */
#include "interchange/exchange.h"

vef_exchange_sums vef_exchange_arguments(const vef_event *event, uint32_t size, bool is_root) {
    const uint64_t part = event->bytes;
    const bool to_each = vef_call_has(event->call, VEF_FACT_SENDS_EACH);
    const bool from_each = vef_call_has(event->call, VEF_FACT_RECEIVES_EACH);
    const uint64_t to =
        to_each ? vef_exchange_sum(event->send_bytes, event->send_count) : part * size;
    const uint64_t from =
        from_each ? vef_exchange_sum(event->receive_bytes, event->receive_count) : part * size;
    switch (vef_call_base(event->call)) {
    case VEF_CALL_Bcast:
        return (vef_exchange_sums){is_root ? part : 0, is_root ? 0 : part};
    case VEF_CALL_Reduce:
        return (vef_exchange_sums){is_root ? 0 : part, is_root ? part : 0};
    case VEF_CALL_Gather:
    case VEF_CALL_Gatherv:
        return (vef_exchange_sums){part, is_root ? from : 0};
    case VEF_CALL_Scatter:
    case VEF_CALL_Scatterv:
        return (vef_exchange_sums){is_root ? to : 0, part};
    case VEF_CALL_Allgather:
    case VEF_CALL_Alltoall:
        return (vef_exchange_sums){part, from};
    case VEF_CALL_Reduce_scatter_block:
    case VEF_CALL_Reduce_scatter:
        return (vef_exchange_sums){from, part};
    default: /* a vector, or, of Barrier, Allreduce, Scan, Exscan, the part */
        return (vef_exchange_sums){to_each ? to : part, from_each ? from : part};
    }
}

/* Score-P's sums in place: a part is sent / (size - 1), and the part of a member and what it
 * receives are the same `total` in all. Sums that are alike in all members may be whole, too. */
static bool is_in_place(const vef_exchange_sums *sums, uint32_t size, uint64_t *total) {
    uint64_t parts = 0;
    *total = size > 1 ? sums[0].sent / (size - 1) + sums[0].received : 0;
    for (uint32_t i = 0; i < size && size > 1; i++) {
        const uint64_t part = sums[i].sent / (size - 1);
        if (sums[i].sent % (size - 1) != 0 || part + sums[i].received != *total)
            return false;
        parts += part;
    }
    return size > 1 && *total > 0 && parts == *total;
}

vef_exchange_place vef_exchange_likelier(uint64_t bytes, uint32_t size) {
    const bool whole = bytes % size == 0, words = whole && bytes / size % 4 == 0;
    const bool in_place = size > 1 && bytes > 0 && bytes % (size - 1) == 0;
    const bool words_in_place = in_place && bytes / (size - 1) % 4 == 0;
    if (in_place && !words && (!whole || words_in_place))
        return VEF_EXCHANGE_IN_PLACE;
    return words_in_place || (in_place && !words) ? VEF_EXCHANGE_EITHER : VEF_EXCHANGE_WHOLE;
}

static bool alike(const vef_exchange_sums *sums, uint32_t size) {
    for (uint32_t i = 1; i < size; i++)
        if (sums[i].sent != sums[0].sent || sums[i].received != sums[0].received)
            return false;
    return true;
}

vef_exchange_place vef_exchange_parts(vef_exchange_sums *sums, uint32_t size, bool arguments) {
    uint64_t parts = 0, total = sums[0].received;
    for (uint32_t i = 0; i < size && arguments; i++)
        parts += sums[i].sent / size;
    for (uint32_t i = 0; i < size && arguments; i++)
        if (parts == total || sums[i].received != total)
            return VEF_EXCHANGE_WHOLE; /* or a member is not in the trace */
    for (uint32_t i = 0; i < size && arguments; i++)
        sums[i].sent = size * (total / size + (i < total % size));
    if (arguments)
        return VEF_EXCHANGE_IN_PLACE;
    if (!is_in_place(sums, size, &total))
        return VEF_EXCHANGE_WHOLE;
    const vef_exchange_place likelier =
        alike(sums, size) ? vef_exchange_likelier(sums[0].sent, size) : VEF_EXCHANGE_IN_PLACE;
    for (uint32_t i = 0; i < size && likelier == VEF_EXCHANGE_IN_PLACE; i++)
        sums[i] = (vef_exchange_sums){sums[i].sent / (size - 1) * size, total};
    return likelier;
}

vef_exchange_place vef_exchange_pairs(vef_exchange_sums *sums, uint32_t size, bool arguments) {
    uint64_t sent = 0, received = 0;
    bool symmetric = size > 1;
    for (uint32_t i = 0; i < size; i++) {
        sent += sums[i].sent;
        received += sums[i].received;
        symmetric &= sums[i].sent == sums[i].received;
    }
    if (arguments) {
        for (uint32_t i = 0; i < size && sent != received; i++)
            sums[i].sent = sums[i].received;
        return sent == received ? VEF_EXCHANGE_WHOLE : VEF_EXCHANGE_IN_PLACE;
    }
    if (!symmetric || sent == 0)
        return VEF_EXCHANGE_WHOLE;
    if (!alike(sums, size))
        return VEF_EXCHANGE_EITHER;
    const vef_exchange_place likelier = vef_exchange_likelier(sums[0].sent, size);
    const uint64_t whole = sums[0].sent / (size - 1) * size;
    for (uint32_t i = 0; i < size && likelier == VEF_EXCHANGE_IN_PLACE; i++)
        sums[i] = (vef_exchange_sums){whole, whole};
    return likelier;
}

bool vef_exchange_rest(uint64_t *parts, uint32_t size, uint32_t rank, uint64_t total) {
    const uint64_t others = vef_exchange_sum(parts, size) - parts[rank];
    if (others <= total)
        parts[rank] = total - others;
    return others <= total;
}

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
