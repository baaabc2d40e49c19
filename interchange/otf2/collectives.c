/* Collectives in OTF2. See collectives.h. */
#include "interchange/otf2/collectives.h"

/* How the sizes follow from the bytes of the event. */
typedef enum shape {
    NOTHING,
    ONE_TO_ALL,   /* the root sends to all, itself included */
    ALL_TO_ONE,   /* the root receives from all */
    ALL_TO_ALL,   /* as much to each as from each */
    GATHER_PARTS, /* Allgatherv: own part to each, the parts of all from them */
    SUMS,         /* Alltoallv: sums of the vectors */
    SCATTER_SUMS, /* Reduce_scatter */
    PREFIX,       /* Scan: to those above and itself, from those below and itself */
    PREFIX_BEFORE /* Exscan: without itself */
} shape;

/* By OTF2's number of the operation. */
static const struct row {
    uint16_t call;
    shape shape;
} rows[] = {
    {VEF_CALL_Barrier, NOTHING},
    {VEF_CALL_Bcast, ONE_TO_ALL},
    {VEF_CALL_Gather, ALL_TO_ONE},
    {VEF_CALL_Gatherv, ALL_TO_ONE},
    {VEF_CALL_Scatter, ONE_TO_ALL},
    {VEF_CALL_Scatterv, ONE_TO_ALL},
    {VEF_CALL_Allgather, ALL_TO_ALL},
    {VEF_CALL_Allgatherv, GATHER_PARTS},
    {VEF_CALL_Alltoall, ALL_TO_ALL},
    {VEF_CALL_Alltoallv, SUMS},
    {VEF_CALL_Alltoallw, SUMS},
    {VEF_CALL_Allreduce, ALL_TO_ALL},
    {VEF_CALL_Reduce, ALL_TO_ONE},
    {VEF_CALL_Reduce_scatter, SCATTER_SUMS},
    {VEF_CALL_Scan, PREFIX},
    {VEF_CALL_Exscan, PREFIX_BEFORE},
    {VEF_CALL_Reduce_scatter_block, ALL_TO_ALL},
};
enum { ROWS = sizeof rows / sizeof *rows };

int vef_otf2_operation(uint16_t call) {
    for (int i = 0; i < ROWS; i++)
        if (rows[i].call == vef_call_base(call))
            return i;
    return VEF_OTF2_OP_NONE;
}

int vef_otf2_call(uint8_t operation) {
    return operation < ROWS ? rows[operation].call : -1;
}

static bool is_root(const vef_event *event, vef_otf2_place place) {
    return event->root == VEF_ROOT_HERE || event->root == (int32_t)place.rank;
}

vef_exchange_sums vef_otf2_sizes_of(const vef_event *event, vef_otf2_place place) {
    const int operation = vef_otf2_operation(event->call);
    const uint64_t bytes = event->bytes, total = bytes * place.size;
    const uint64_t to = vef_exchange_sum(event->send_bytes, event->send_count);
    const uint64_t from = vef_exchange_sum(event->receive_bytes, event->receive_count);
    /* Of a call with a root: its own part, and that of all if it is there. */
    const bool counts = event->send_count + event->receive_count > 0;
    const uint64_t part = event->root == VEF_ROOT_HERE ? 0 : bytes;
    const uint64_t parts = !is_root(event, place) ? 0 : counts ? to + from : total;
    if (operation < 0 || event->root == VEF_ROOT_BESIDE)
        return (vef_exchange_sums){0, 0};
    switch (rows[operation].shape) {
    case ONE_TO_ALL:
        return (vef_exchange_sums){parts, part};
    case ALL_TO_ONE:
        return (vef_exchange_sums){part, parts};
    case ALL_TO_ALL:
        return (vef_exchange_sums){total, total};
    case GATHER_PARTS:
        return (vef_exchange_sums){total, from};
    case SUMS:
        return (vef_exchange_sums){to, from};
    case SCATTER_SUMS:
        return (vef_exchange_sums){from, total};
    case PREFIX:
        return (vef_exchange_sums){bytes * (place.size - place.rank), bytes * (place.rank + 1)};
    case PREFIX_BEFORE:
        return (vef_exchange_sums){bytes * (place.size - place.rank - 1), bytes * place.rank};
    default:
        return (vef_exchange_sums){0, 0};
    }
}

/* A product beyond all plausible sizes stays so. */
static uint64_t times(uint64_t bytes, uint64_t count) {
    return bytes > UINT64_MAX / (count + 1) ? UINT64_MAX : bytes * count;
}

vef_exchange_sums vef_otf2_sizes_of_arguments(uint8_t operation, bool root, vef_otf2_place place,
                                              vef_exchange_sums arguments, bool *in_place) {
    const int call = vef_otf2_call(operation);
    const uint64_t sent = arguments.sent, received = arguments.received;
    /* In place what is sent, or received by the root of a Scatter, is ignored. */
    const uint64_t bytes = received > 0 ? received : sent;
    const bool placed = sent != received;
    if (call < 0)
        return arguments;
    const bool vector = vef_call_has_counts((uint16_t)call);
    switch (rows[operation].shape) {
    case ONE_TO_ALL:
        if (!root || vector)
            return (vef_exchange_sums){root ? sent : 0, received};
        return (vef_exchange_sums){times(sent, place.size - placed), placed ? 0 : received};
    case ALL_TO_ONE:
        if (!root || vector)
            return (vef_exchange_sums){sent, root ? received : 0};
        return (vef_exchange_sums){placed ? 0 : sent, times(received, place.size - placed)};
    case ALL_TO_ALL:
        *in_place |= placed && received > 0;
        return (vef_exchange_sums){times(bytes, place.size), times(bytes, place.size)};
    case GATHER_PARTS:
        return (vef_exchange_sums){times(sent, place.size), received};
    case SCATTER_SUMS: {
        const uint64_t part = bytes / place.size + (place.rank < bytes % place.size);
        return (vef_exchange_sums){bytes, times(part, place.size)};
    }
    default:
        return arguments;
    }
}

/* The bytes whose `count`-fold is `total`, rounded up. */
static vef_otf2_certainty share(uint64_t total, uint64_t count, uint64_t *bytes) {
    *bytes = count ? total / count + (total % count > 0) : 0;
    return *bytes * count == total ? VEF_OTF2_EXACT : VEF_OTF2_ODD;
}

/* `size` times, or in place `size` - 1 times. */
static vef_otf2_certainty share_in_place(vef_event *event, uint64_t total, uint32_t size,
                                         bool exact) {
    const vef_exchange_place place =
        exact ? VEF_EXCHANGE_WHOLE : vef_exchange_likelier(total, size);
    if (place == VEF_EXCHANGE_IN_PLACE) {
        event->bytes = total / (size - 1);
        event->flags |= VEF_EVENT_IN_PLACE;
        return VEF_OTF2_EXACT;
    }
    const vef_otf2_certainty certainty = share(total, size, &event->bytes);
    return place == VEF_EXCHANGE_EITHER ? VEF_OTF2_MAYBE_IN_PLACE : certainty;
}

/* Of a call with a root: `total` is what goes to, or comes from, all, and `kept` the member's own
 * part, which is 0 at the root in place. */
static vef_otf2_certainty share_of_root(vef_event *event, vef_otf2_place place, uint64_t total,
                                        uint64_t kept) {
    const uint32_t size = place.size;
    const bool vector = vef_call_has_counts(event->call);
    event->bytes = kept;
    if (!is_root(event, place))
        return VEF_OTF2_EXACT;
    if (event->root == VEF_ROOT_HERE)
        return share(total, size, &event->bytes);
    if (vector || kept > 0 || total == 0)
        return vector || total == kept * size ? VEF_OTF2_EXACT : VEF_OTF2_ODD;
    event->flags |= VEF_EVENT_IN_PLACE;
    return share(total, size - 1ull, &event->bytes);
}

vef_otf2_certainty vef_otf2_bytes_of(vef_event *event, vef_otf2_place place,
                                     vef_exchange_sums sizes, bool exact) {
    const int operation = vef_otf2_operation(event->call);
    event->bytes = 0;
    if (operation < 0 || event->root == VEF_ROOT_BESIDE)
        return VEF_OTF2_EXACT;
    switch (rows[operation].shape) {
    case ONE_TO_ALL:
        return share_of_root(event, place, sizes.sent, sizes.received);
    case ALL_TO_ONE:
        return share_of_root(event, place, sizes.received, sizes.sent);
    case ALL_TO_ALL:
    case GATHER_PARTS:
        return share_in_place(event, sizes.sent, place.size, exact);
    case SCATTER_SUMS:
        return share_in_place(event, sizes.received, place.size, exact);
    case PREFIX:
        event->bytes = sizes.received / (place.rank + 1ull);
        if (event->bytes * (place.size - place.rank) == sizes.sent &&
            event->bytes * (place.rank + 1ull) == sizes.received)
            return VEF_OTF2_EXACT;
        event->flags |= VEF_EVENT_IN_PLACE;
        return share(sizes.sent + sizes.received, place.size - 1ull, &event->bytes);
    case PREFIX_BEFORE:
        return share(sizes.sent + sizes.received, place.size - 1ull, &event->bytes);
    default:
        return VEF_OTF2_EXACT;
    }
}
