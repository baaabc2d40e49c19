/* The byte counts of DUMPI's collectives. A file does not state MPI_IN_PLACE, with which MPI
 * ignores the counts of sends, or at the root of a Scatter those of receives: the reader uses the
 * other side where a call states both. If what the task sends to itself is not what it receives
 * from itself, the call is in place. Alltoallv and Alltoallw: joint.c. */
#include "common/containers/grow.h"
#include "interchange/dumpi/dumpi.h"

uint16_t vef_dumpi_collective_comm(const vef_dumpi_call *call) {
    switch (call->id) {
    case VEF_DUMPI_Barrier:
    case VEF_DUMPI_Alltoallw:
        return call->handles[0];
    case VEF_DUMPI_Scatterv:
    case VEF_DUMPI_Allgather:
    case VEF_DUMPI_Allgatherv:
    case VEF_DUMPI_Alltoall:
    case VEF_DUMPI_Alltoallv:
        return call->handles[2];
    default:
        return call->handles[1];
    }
}

/* Bytes per rank; `kinds` has a datatype per rank, or is empty: all have `type`. */
static vef_code vector(uint64_t **list, size_t *room, const vef_dumpi_call *call,
                       vef_dumpi_list counts, uint32_t size, uint16_t type, vef_dumpi_list kinds,
                       vef_dumpi_types *types, vef_error *error) {
    if (counts.count != size || (kinds.items && kinds.count != size))
        return vef_fail(error, VEF_CORRUPT, "%s: %u counts: expected %u, one per rank",
                        vef_dumpi_name(call->id), counts.count, size);
    vef_grow(list, room, size, sizeof **list);
    for (uint32_t i = 0; i < size; i++)
        (*list)[i] = vef_dumpi_bytes(types, kinds.items ? vef_dumpi_handle(kinds, i) : type,
                                     vef_dumpi_int(counts, i));
    return VEF_OK;
}

vef_code vef_dumpi_collective(const vef_dumpi_call *call, uint32_t rank, uint32_t size,
                              vef_dumpi_types *types, vef_dumpi_vectors *vectors, vef_event *event,
                              vef_error *error) {
    const int32_t *ints = call->ints;
    const uint16_t *handles = call->handles;
    const vef_dumpi_list *lists = call->lists, none = {0};
    vef_dumpi_list sends = none, receives = none, send_types = none, receive_types = none;
    uint16_t send_type = 0, receive_type = 0;
    uint64_t ignored = UINT64_MAX; /* the own part, as stated by the side that is not used */
    bool reduces = vef_call_has(event->call, VEF_FACT_REDUCES), at_root = false;
    event->root = -1;
    switch (call->id) {
    case VEF_DUMPI_Bcast:
    case VEF_DUMPI_Reduce:
        event->root = ints[1];
        event->bytes = vef_dumpi_bytes(types, handles[0], ints[0]);
        break;
    case VEF_DUMPI_Allreduce:
    case VEF_DUMPI_Scan:
    case VEF_DUMPI_Exscan:
        event->bytes = vef_dumpi_bytes(types, handles[0], ints[0]);
        break;
    case VEF_DUMPI_Gather:
    case VEF_DUMPI_Scatter:
        event->root = ints[2];
        at_root = ints[0] == ints[2];
        event->bytes =
            vef_dumpi_bytes(types, at_root ? handles[2] : handles[0], at_root ? ints[3] : ints[1]);
        ignored = vef_dumpi_bytes(types, handles[0], ints[1]);
        break;
    case VEF_DUMPI_Gatherv:
        event->root = ints[3];
        receives = lists[0];
        receive_type = handles[2];
        event->bytes = ignored = vef_dumpi_bytes(types, handles[0], ints[2]);
        break;
    case VEF_DUMPI_Scatterv:
        event->root = ints[3];
        sends = lists[0];
        send_type = handles[0];
        event->bytes = ignored = vef_dumpi_bytes(types, handles[1], ints[2]);
        break;
    case VEF_DUMPI_Allgather:
    case VEF_DUMPI_Alltoall:
        event->bytes = vef_dumpi_bytes(types, handles[1], ints[1]);
        ignored = vef_dumpi_bytes(types, handles[0], ints[0]);
        break;
    case VEF_DUMPI_Allgatherv:
        receives = lists[0];
        receive_type = handles[1];
        ignored = vef_dumpi_bytes(types, handles[0], ints[1]);
        break;
    case VEF_DUMPI_Alltoallv:
        sends = lists[0];
        receives = lists[2];
        send_type = handles[0];
        receive_type = handles[1];
        break;
    case VEF_DUMPI_Alltoallw:
        sends = lists[0];
        send_types = lists[2];
        receives = lists[3];
        receive_types = lists[5];
        break;
    case VEF_DUMPI_Reduce_scatter:
        receives = lists[0];
        receive_type = handles[0];
        break;
    default: /* Barrier */
        break;
    }
    vef_code code = VEF_OK;
    if (sends.items)
        code = vector(&vectors->sends, &vectors->send_room, call, sends, size, send_type,
                      send_types, types, error);
    if (!code && receives.items)
        code = vector(&vectors->receives, &vectors->receive_room, call, receives, size,
                      receive_type, receive_types, types, error);
    if (code)
        return code;
    event->send_bytes = vectors->sends;
    event->send_count = sends.items ? size : 0;
    event->receive_bytes = vectors->receives;
    event->receive_count = receives.items ? size : 0;
    /* The own part of those with one, where the vector states it. */
    if (call->id == VEF_DUMPI_Scatterv && sends.items)
        event->bytes = vectors->sends[rank];
    else if (receives.items && !(sends.items || send_types.items))
        event->bytes = vectors->receives[rank];
    if (ignored != UINT64_MAX && ignored != event->bytes)
        event->flags |= VEF_EVENT_IN_PLACE;
    if (reduces)
        event->elements = ints[0] > 0 ? (uint64_t)ints[0] : 0;
    if (call->id == VEF_DUMPI_Reduce_scatter) {
        event->elements = 0;
        for (uint32_t i = 0; i < size; i++)
            event->elements +=
                (uint64_t)(vef_dumpi_int(receives, i) > 0 ? vef_dumpi_int(receives, i) : 0);
    }
    return VEF_OK;
}
